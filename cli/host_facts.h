// Facts about this machine, for `slist` and `report`: a snapshot as a JSON object. Reads /proc and asks the
// kernel; what cannot be found out is null.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace clusterd::cli {

// hostname, system, kernel, architecture, cpus, load (1, 5 and 15 minutes), memory_total and memory_available
// (bytes), uptime_s
nlohmann::json host_facts();

}  // namespace clusterd::cli
