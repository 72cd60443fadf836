// The output of `describe`: what the daemon knows about apps, as sections of "label  value" lines.
//
// Pure. Keys of the spec that this version does not know are shown under their own name, so that a newer
// daemon hides nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/table.h"

namespace clusterd::cli {

// `apps`: the member of that name in the result of the operation `describe`.
std::string render_describe(const nlohmann::json& apps, const Style& style);

}  // namespace clusterd::cli
