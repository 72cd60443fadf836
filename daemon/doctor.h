// Doctor: what this machine allows clusterd to do, mechanism by mechanism, with the fallback taken where it
// does not.
//
// Called by the `doctor` operation; probes and reads, changes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/home_paths.h"
#include "daemon/balancing.h"

namespace clusterd {

// [{"name","ok","detail","hint"?}]
nlohmann::json run_doctor(const HomePaths& home, Balancing& balancing);

}  // namespace clusterd
