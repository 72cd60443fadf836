#include "config/jsonc_syntax.h"

#include <algorithm>
#include <array>

#include "common/utf8.h"
#include "config/jsonc.h"

namespace clusterd {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Walks over the text once. A comma is remembered until it is known what follows it.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), plain_(text) {}

  std::expected<std::string, SyntaxFault> run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        skip_string();
      } else if (starts_with("//")) {
        blank_until(std::min(text_.find('\n', at_), text_.size()));
      } else if (starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          return std::unexpected(SyntaxFault{at_, "this comment is never closed"});
        blank_until(end + 2);
      } else {
        take_character();
      }
    }
    return std::move(plain_);
  }

 private:
  bool starts_with(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  void see(char significant) {
    comma_follows_value_ =
        significant == ',' && before_ != '[' && before_ != '{' && before_ != ',' && before_ != 0;
    before_ = significant;
    before_at_ = at_;
  }

  void skip_string() {
    see('"');
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (!is_blank(plain_[at_])) plain_[at_] = ' ';
    }
  }

  void take_character() {
    const char c = text_[at_];
    if (!is_blank(c)) {
      const bool closes = c == '}' || c == ']';
      if (closes && comma_follows_value_) plain_[before_at_] = ' ';
      see(c);
    }
    ++at_;
  }

  std::string_view text_;
  std::string plain_;
  std::size_t at_ = 0;
  char before_ = 0;            // the last character that is no blank and no comment
  std::size_t before_at_ = 0;  // where it stands
  bool comma_follows_value_ = false;
};

struct Advice {
  std::string_view sign;  // occurs in the parser's message
  std::string_view sentence;
};

// The first row whose sign occurs is taken.
constexpr std::array kAdvice{
    Advice{"missing closing quote", "a string is never closed; add the missing \""},
    Advice{"must be escaped to",
           "a string breaks off at a control character or the end of the line; close it with \", or write "
           "\\n for a "
           "newline and \\t for a tab"},
    Advice{"forbidden character after backslash",
           "a backslash in a string has to be followed by one of \" \\ / b f n r t u; write \\\\ for a "
           "backslash"},
    Advice{"must be followed by 4 hex digits",
           "\\u in a string has to be followed by four hexadecimal digits"},
    Advice{"surrogate", "\\u escapes from \\uD800 to \\uDFFF come in pairs: \\uD83D\\uDE00"},
    Advice{"invalid number", "this is not a JSON number; put it in double quotes if it is text"},
    Advice{"''", "strings and keys stand in double quotes (\"), not single ones"},
    Advice{"; expected end of input", "there is something behind the end; one file is one JSON value"},
    Advice{"parsing array - unexpected end", "the file ends inside an array; is a closing ] missing?"},
    Advice{"parsing value - unexpected end", "the file ends where a value is expected"},
    Advice{"unexpected end of input", "the file ends inside an object; is a closing } missing?"},
    Advice{"parsing array - unexpected '}'", "an array is closed by ], and this is a }"},
    Advice{"parsing object - unexpected ']'", "an object is closed by }, and this is a ]"},
    Advice{"parsing array - ", "a comma is missing before this, or a bracket is not closed"},
    Advice{"parsing object - ", "a comma is missing before this, or a bracket is not closed"},
    Advice{"parsing object separator", "a colon (:) is missing between a key and its value"},
    Advice{"parsing object key - invalid literal", "a key stands in double quotes: \"name\": …"},
    Advice{"parsing object key", "a key in double quotes is expected here"},
    Advice{"parsing value - unexpected", "a value is missing before this"},
    Advice{"parsing value - invalid literal",
           "this is not a JSON value; text stands in double quotes, and the words are true, false and null"},
};

constexpr int kNumberOutOfRange = 406;  // nlohmann's exception id

}  // namespace

LineMap::LineMap(std::string_view text) : text_(text), line_starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Place LineMap::place_of(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *std::prev(next_line);
  const std::string_view before = text_.substr(start, offset - start);
  const auto characters = std::count_if(
      before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return {static_cast<int>(next_line - line_starts_.begin()), static_cast<int>(characters) + 1};
}

std::string unreadable_reason(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.size() > kConfigFileBytesMax) {
    return "the file has " + std::to_string(text.size()) + " bytes; app files may have 8 MiB";
  }
  const bool is_utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                        (text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0'));
  if (is_utf16) return "the file is UTF-16; save it as UTF-8";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (std::all_of(text.begin(), text.end(), is_blank))
    return R"(the file is empty; it should hold {"apps": [...]})";
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const std::string_view begin = text.substr(start);
  constexpr std::array kJavaScript{"module.exports"sv, "exports."sv,      "export "sv,  "const "sv,
                                   "let "sv,           "var "sv,          "require("sv, "import "sv,
                                   "'use strict'"sv,   "\"use strict\""sv};
  for (const std::string_view sign : kJavaScript) {
    if (!begin.starts_with(sign)) continue;
    return "this is JavaScript, and only files called *.config.js (.cjs, .mjs, .ts) are executed; rename it";
  }
  return {};
}

std::optional<std::size_t> first_ill_formed_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto code_point = first_code_point(text.substr(offset));
    if (!code_point) return offset;
    offset += code_point->size_bytes;
  }
  return std::nullopt;
}

std::expected<std::string, SyntaxFault> blank_jsonc(std::string_view text) { return Blanker(text).run(); }

std::size_t start_of_string(std::string_view text, std::size_t closing_quote) {
  if (closing_quote >= text.size() || text[closing_quote] != '"') return closing_quote;
  for (std::size_t at = closing_quote; at-- > 0;) {
    if (text[at] != '"') continue;
    std::size_t backslashes = 0;
    while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at;
  }
  return closing_quote;
}

std::string explain_syntax_error(std::string_view what, int id) {
  if (id == kNumberOutOfRange) return "this number is too large";
  for (const Advice& advice : kAdvice) {
    if (what.find(advice.sign) != std::string_view::npos) return std::string(advice.sentence);
  }
  return "this is not JSON: " + std::string(what.substr(std::min(what.find(" - "), what.size())));
}

}  // namespace clusterd
