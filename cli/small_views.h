// The short outputs: env, pid, id, doctor, save and the like, JSON of the daemon -> text.
//
// Pure. Each returns whole lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cli/table.h"

namespace clusterd::cli {

std::string render_env(const nlohmann::json& env);         // sorted KEY=VALUE lines
std::string render_pids(const nlohmann::json& instances);  // of running processes, one a line
std::string render_ids(const nlohmann::json& instances, std::string_view name);  // "[ 0, 1 ]"
std::string render_doctor(const nlohmann::json& checks, const Style& style);

}  // namespace clusterd::cli
