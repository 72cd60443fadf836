// JSON values as single lines of text, and back: the one encoder and decoder of protocol and state files.
//
// Pure and total: any value can be written, any bytes can be read, nothing throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

inline constexpr int kJsonDepthMax = 64;

// Compact, without any newline; bytes that are not UTF-8 become U+FFFD.
std::string to_line(const nlohmann::json& value);

// The same on several lines, for people to read.
std::string to_indented(const nlohmann::json& value);

// A line ready for the socket: to_line() and its '\n'.
std::string to_frame(const nlohmann::json& value);

// Exactly one JSON value, nested kJsonDepthMax deep at most; the error has code `protocol`.
Result<nlohmann::json> parse_line(std::string_view text);

// True if brackets outside of strings are nested deeper than `depth_max`. Works on broken JSON too.
bool is_nested_deeper_than(std::string_view text, int depth_max);

}  // namespace clusterd
