// What `diff` prints: per app what would happen to it, and each setting that differs.
//
// Pure. Of variables only the names are known here: the daemon does not give their values away.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/table.h"

namespace clusterd::cli {

// `apps` as the operation `plan` answers.
std::string render_diff(const nlohmann::json& apps, const Style& style);

}  // namespace clusterd::cli
