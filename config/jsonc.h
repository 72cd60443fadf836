// JSON as people write it by hand: with comments, trailing commas and a byte-order mark; every value knows
// its line.
//
// Pure; used by config/app_file alone. Accepts RFC 8259 JSON plus // and /* */ comments and one comma before
// a closing bracket. Duplicate keys, depth beyond kJsonDepthMax and anything not UTF-8 are errors.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

inline constexpr std::size_t kConfigFileBytesMax = 8 * 1024 * 1024;

struct JsoncDocument {
  nlohmann::json root;
  std::map<std::string, int>
      lines;  // JSON pointer (RFC 6901) -> line, from 1; of members: the line of the key

  // The line of the value there, else of its nearest ancestor.
  int line_of(std::string_view pointer) const;
};

// Errors have code `config` and read "<file_name>:12:7: what is wrong; what to do".
Result<JsoncDocument> parse_jsonc(std::string_view text, std::string_view file_name);

// One step of a JSON pointer, escaped: "/a~1b" for the key "a/b".
std::string pointer_step(std::string_view key);

}  // namespace clusterd
