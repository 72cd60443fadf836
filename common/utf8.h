// UTF-8 by the Unicode standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
//
// Pure; used where text of the outside is checked (names, config files) or shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace clusterd {

struct CodePoint {
  char32_t value = 0;
  std::uint8_t size_bytes = 0;
};

// The first code point of `text`; nothing if `text` is empty or begins with ill-formed bytes.
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Control characters (C0, DEL, C1), line and paragraph separators, and marks that reorder the text around
// them: what can garble a terminal or make two names look alike.
bool is_unprintable(char32_t value);

}  // namespace clusterd
