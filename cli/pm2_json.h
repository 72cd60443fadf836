// The output of `jlist`: instance views with the key names and the shape PM2's users script against.
//
// Pure. Names and meaning of the keys are those of `pm2 jlist` 7.0; the environment is left out on purpose
// (secrets), with the one exception of NODE_APP_INSTANCE. What PM2 has no key for stands under `clusterd`.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace clusterd::cli {

nlohmann::json pm2_list(const nlohmann::json& instances);

}  // namespace clusterd::cli
