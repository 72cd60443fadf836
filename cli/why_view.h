// Why view: records of deaths as text: earlier ones a line each, the last one in full.
//
// Pure; used by `why`. Times are local. What the app said last is shown with control characters made visible.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "cli/table.h"

namespace clusterd::cli {

std::string death_label(const nlohmann::json& death);  // "web.3", "staging/web.3"
std::string render_deaths(std::span<const nlohmann::json> deaths, const Style& style);  // oldest first

}  // namespace clusterd::cli
