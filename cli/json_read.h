// Reading fields of JSON the daemon sent, without trusting their types: a wrong or missing one is the
// default.
//
// Pure; used by all views. A newer daemon may leave out or change what an older CLI asks for, and a table
// with an empty cell is better than no table. Nothing throws.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd::cli {

std::string text_of(const nlohmann::json& object, std::string_view key);
std::optional<std::int64_t> integer_of(const nlohmann::json& object, std::string_view key);
std::optional<double> number_of(const nlohmann::json& object, std::string_view key);
bool flag_of(const nlohmann::json& object, std::string_view key);

// The member, or null.
const nlohmann::json& member_of(const nlohmann::json& object, std::string_view key);

}  // namespace clusterd::cli
