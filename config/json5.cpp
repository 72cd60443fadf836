#include "config/json5.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace clusterd {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A byte of a longer UTF-8 character is one of a letter here: what it is does not matter between quotes.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  std::expected<std::string, SyntaxFault> run() {
    while (at_ < text_.size() && !fault_) step();
    if (fault_) return std::unexpected(*fault_);
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void refuse(std::size_t offset, std::string message) { fault_ = SyntaxFault{offset, std::move(message)}; }

  void copy_until(std::size_t end) {
    end = std::min(end, text_.size());
    result_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  void step() {
    const char c = peek();
    if (const std::size_t end = end_of_comment(at_); end != at_) return copy_until(end);
    if (c == '"' || c == '\'') return take_string(c);
    if (begins_name(c)) return take_word();
    if (is_digit(c) || c == '+' || c == '-' || c == '.') return take_number();
    result_ += c == '\f' || c == '\v' ? ' ' : c;
    ++at_;
  }

  // Behind the comment that begins there; the offset itself if none does. An open one is left for
  // parse_jsonc().
  std::size_t end_of_comment(std::size_t offset) const {
    if (text_.substr(offset).starts_with("//")) return std::min(text_.find('\n', offset), text_.size());
    if (!text_.substr(offset).starts_with("/*")) return offset;
    const std::size_t end = text_.find("*/", offset + 2);
    return end == std::string_view::npos ? text_.size() : end + 2;
  }

  bool colon_follows() const {
    std::size_t offset = at_;
    while (offset < text_.size()) {
      const std::size_t end = end_of_comment(offset);
      if (end == offset && !is_blank(text_[offset])) return text_[offset] == ':';
      offset = std::max(end, offset + 1);
    }
    return false;
  }

  void take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(peek())) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (colon_follows()) {
      result_ += '"' + word + '"';
    } else if (word == "Infinity" || word == "NaN") {
      refuse(begin, word + " is no value for an app");
    } else {
      result_ += word;
    }
  }

  void take_number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (continues_name(peek()) || peek() == '.' || peek() == '+' || peek() == '-'))
      ++at_;
    std::string_view number = text_.substr(begin, at_ - begin);
    if (number.starts_with('+')) number.remove_prefix(1);
    if (number.starts_with('-')) {
      result_ += '-';
      number.remove_prefix(1);
    }
    if (number == "Infinity" || number == "NaN") {
      refuse(begin, std::string(number) + " is no value for an app");
    } else if (number.starts_with("0x") || number.starts_with("0X")) {
      take_hexadecimal(begin, number.substr(2));
    } else {
      if (number.starts_with('.')) result_ += '0';
      const std::size_t dot = number.find('.');
      const bool ends_at_dot =
          dot != std::string_view::npos && (dot + 1 == number.size() || !is_digit(number[dot + 1]));
      result_ += ends_at_dot ? std::string(number.substr(0, dot)) + std::string(number.substr(dot + 1))
                             : std::string(number);
    }
  }

  void take_hexadecimal(std::size_t begin, std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size())
      return refuse(begin, "this is not a hexadecimal number");
    result_ += std::to_string(value);
  }

  void take_string(char quote) {
    const std::size_t begin = at_++;
    std::string newlines;  // of lines that go on: they move behind the string, so that lines stay counted
    result_ += '"';
    while (at_ < text_.size() && peek() != quote && peek() != '\n') {
      const char c = peek();
      ++at_;
      if (c == '\\') {
        take_escape(newlines);
      } else if (c == '"') {
        result_ += "\\\"";
      } else if (c == '\t') {
        result_ += "\\t";
      } else {
        result_ += c;
      }
    }
    if (peek() != quote) {
      return refuse(begin, std::string("a string is never closed; add the missing ") + quote +
                               ", or end the line with a backslash if it goes on");
    }
    ++at_;
    result_ += '"' + newlines;
  }

  void take_escape(std::string& newlines) {
    const char c = peek();
    ++at_;
    if (c == '\r' && peek() == '\n') ++at_;
    if (c == '\n' || c == '\r') {
      newlines += '\n';
    } else if (c == 'x') {
      result_ += "\\u00" + std::string(text_.substr(std::min(at_, text_.size()), 2));
      at_ += 2;
    } else if (c == 'v') {
      result_ += "\\u000b";
    } else if (c == '0' && !is_digit(peek())) {
      result_ += "\\u0000";
    } else if (std::string_view("\"\\/bfnrtu").contains(c)) {
      result_ += '\\';
      result_ += c;
    } else {
      result_ += c;  // \' and every other character mean themselves
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string result_;
  std::optional<SyntaxFault> fault_;
};

}  // namespace

std::expected<std::string, SyntaxFault> json5_to_jsonc(std::string_view text) { return Rewriter(text).run(); }

Result<JsoncDocument> parse_json5(std::string_view text, std::string_view file_name) {
  if (const std::string fault = unreadable_reason(text); !fault.empty()) {
    return fail(ErrorCode::config, std::string(file_name) + ": " + fault);
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto plain = json5_to_jsonc(text);
  if (plain) return parse_jsonc(*plain, file_name);
  const Place place = LineMap(text).place_of(plain.error().offset);
  return fail(ErrorCode::config, std::string(file_name) + ":" + std::to_string(place.line) + ":" +
                                     std::to_string(place.column) + ": " + plain.error().message);
}

}  // namespace clusterd
