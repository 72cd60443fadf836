#include "config/command_line.h"

namespace clusterd {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Splitter {
 public:
  explicit Splitter(std::string_view text) : rest_(text) {}

  Result<std::vector<std::string>> split() {
    while (!rest_.empty()) {
      const char c = take();
      Result<void> taken;
      if (is_blank(c)) {
        end_word();
      } else if (c == '\'') {
        taken = take_single_quoted();
      } else if (c == '"') {
        taken = take_double_quoted();
      } else if (c == '\\') {
        taken = take_escaped();
      } else {
        append(c);
      }
      if (!taken) return fail(taken.error());
    }
    end_word();
    return std::move(words_);
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void append(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  Result<void> take_single_quoted() {
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return fail(ErrorCode::config, "a single quote (') is never closed");
    word_ += rest_.substr(0, end);
    in_word_ = true;  // '' is an empty argument
    rest_.remove_prefix(end + 1);
    return {};
  }

  Result<void> take_double_quoted() {
    in_word_ = true;
    while (!rest_.empty()) {
      const char c = take();
      if (c == '"') return {};
      const bool escapes =
          c == '\\' && !rest_.empty() && std::string_view("\"\\$`\n").contains(rest_.front());
      if (!escapes) {
        append(c);
      } else if (const char escaped = take(); escaped != '\n') {
        append(escaped);
      }
    }
    return fail(ErrorCode::config, "a double quote (\") is never closed");
  }

  Result<void> take_escaped() {
    if (rest_.empty())
      return fail(ErrorCode::config, "a backslash at the end escapes nothing; write \\\\ for one");
    // A backslash and a newline together are a line that goes on.
    if (const char escaped = take(); escaped != '\n') append(escaped);
    return {};
  }

  std::string_view rest_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

Result<std::vector<std::string>> split_command_line(std::string_view text) { return Splitter(text).split(); }

}  // namespace clusterd
