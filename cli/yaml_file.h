// App files in YAML: text -> the same document that JSON gives, with the line of every value.
//
// Pure; used by app_sources. Words mean what they mean in YAML 1.2: only true and false are booleans, so that
// `yes` and `1.10` stay the text they are. Anchors, aliases and merge keys (<<) are followed. Keys that stand
// twice and several documents in one file are errors.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/jsonc.h"

namespace clusterd::cli {

inline constexpr std::size_t kYamlValuesMax = 100'000;  // aliases counted each time: they can multiply

// Errors have code `config` and read "<file_name>:12:7: what is wrong".
Result<JsoncDocument> parse_yaml(std::string_view text, std::string_view file_name);

}  // namespace clusterd::cli
