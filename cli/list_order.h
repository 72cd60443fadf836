// The other ways to show `list`: sorted by a column, and as plain blocks of keys and values.
//
// Pure; used by command_show beside list_view.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd::cli {

// By one of kSortFields (arguments.h); equal ones keep their order.
void sort_instances(std::vector<nlohmann::json>& instances, std::string_view field, bool descending);

std::string render_mini_list(const std::vector<nlohmann::json>& instances);

}  // namespace clusterd::cli
