// PM2 environment: which variables of a PM2 record belong to the app, and not to PM2, a shell or a session.
//
// Pure; used by config/pm2_import alone. Values never appear in notices, for they may be secrets.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "config/app_spec.h"

namespace clusterd {

// `notices` gets one sentence for each variable that cannot be carried over.
nlohmann::json app_variables(const nlohmann::json& variables, const std::string& app_name,
                             const Environment& caller, std::vector<std::string>& notices);

}  // namespace clusterd
