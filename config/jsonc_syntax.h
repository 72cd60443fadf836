// The text side of config/jsonc: places in a file, what hand-written JSON has beyond JSON, and error
// messages.
//
// Pure; used by config/jsonc.cpp alone. Offsets are bytes from 0; lines and columns count from 1, columns in
// characters.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Place {
  int line = 1;
  int column = 1;
};

// Offset -> place, by the offsets of the newlines.
class LineMap {
 public:
  explicit LineMap(std::string_view text);
  Place place_of(std::size_t offset) const;
  std::string_view text() const { return text_; }
  bool is_newline(std::size_t offset) const { return offset < text_.size() && text_[offset] == '\n'; }

 private:
  std::string_view text_;  // outlives the map
  std::vector<std::size_t> line_starts_;
};

// Why this cannot be an app file at all (too large, empty, UTF-16, compressed …), or nothing.
std::string unreadable_reason(std::string_view text);

std::optional<std::size_t> first_ill_formed_utf8(std::string_view text);

struct SyntaxFault {
  std::size_t offset;
  std::string message;
};

// The text with comments and trailing commas overwritten by blanks, so that every other byte stays in its
// place.
std::expected<std::string, SyntaxFault> blank_jsonc(std::string_view text);

// Where the string begins whose closing quote stands there; the offset itself if no string ends there.
std::size_t start_of_string(std::string_view text, std::size_t closing_quote);

// A message of nlohmann's parser (exception id `id`) as a sentence that says what to do.
std::string explain_syntax_error(std::string_view what, int id);

}  // namespace clusterd
