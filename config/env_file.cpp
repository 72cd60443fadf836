#include "config/env_file.h"

#include <algorithm>

#include "config/jsonc_syntax.h"

namespace clusterd {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

class EnvFileReader {
 public:
  EnvFileReader(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

  Result<Environment> read() {
    while (at_ < text_.size()) {
      skip_blanks();
      if (!at_line_end() && peek() != '#') {
        if (auto taken = take_variable(); !taken) return fail(taken.error());
        skip_blanks();
        if (!at_line_end() && peek() != '#') return refuse("there is something behind the closing quote");
      }
      skip_line();
    }
    return std::move(variables_);
  }

 private:
  char peek() const { return text_[at_]; }
  bool at_line_end() const { return at_ >= text_.size() || peek() == '\n'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(peek())) ++at_;
  }
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ < text_.size()) ++at_;
  }

  std::unexpected<Error> refuse(const std::string& what) const { return refuse_at(at_, what); }
  std::unexpected<Error> refuse_at(std::size_t offset, const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    return fail(ErrorCode::config, std::string(file_name_) + ":" + std::to_string(line) + ": " + what);
  }

  std::string_view take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<> take_variable() {
    std::string_view name = take_name();
    skip_blanks();
    if (name == "export" && at_ < text_.size() && is_name_character(peek())) {
      name = take_name();
      skip_blanks();
    }
    const bool is_good = !name.empty() && (name[0] < '0' || name[0] > '9') && !at_line_end() && peek() == '=';
    if (!is_good) return refuse("expected NAME=value");
    ++at_;
    skip_blanks();
    std::string value;
    if (!at_line_end() && (peek() == '\'' || peek() == '"')) {
      if (auto taken = take_quoted(peek(), value); !taken) return taken;
    } else {
      value = take_plain();
    }
    if (value.find('\0') != std::string::npos) return refuse("contains a NUL character");
    variables_[std::string(name)] = std::move(value);
    return {};
  }

  // Up to the end of the line or a comment; a # inside of a word belongs to it.
  std::string take_plain() {
    const std::size_t begin = at_;
    while (!at_line_end() && !(peek() == '#' && (at_ == begin || is_blank(text_[at_ - 1])))) ++at_;
    std::string_view value = text_.substr(begin, at_ - begin);
    while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
    return std::string(value);
  }

  Result<> take_quoted(char quote, std::string& value) {
    const std::size_t begin = at_;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = peek();
      if (c == quote) {
        ++at_;
        return {};
      }
      if (quote == '"' && c == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        append_escaped(value);
      } else {
        value += c;
      }
    }
    return refuse_at(begin, "this quote is never closed");
  }

  void append_escaped(std::string& value) {
    switch (const char c = peek()) {
      case 'n':
        value += '\n';
        break;
      case 'r':
        value += '\r';
        break;
      case 't':
        value += '\t';
        break;
      case '\n':
        break;  // the line goes on
      case '"':
      case '\\':
      case '$':
        value += c;
        break;
      default:
        value += '\\';
        value += c;
    }
  }

  std::string_view text_;
  std::string_view file_name_;
  std::size_t at_ = 0;
  Environment variables_;
};

}  // namespace

Result<Environment> parse_env_file(std::string_view text, std::string_view file_name) {
  if (text.size() > kEnvFileBytesMax) {
    return fail(ErrorCode::config, std::string(file_name) + ": is larger than the limit of " +
                                       std::to_string(kEnvFileBytesMax) + " bytes");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return EnvFileReader(text, file_name).read();
}

}  // namespace clusterd
