#include "cli/logs/line_pattern.h"

#include <regex.h>

#include <array>

namespace clusterd::cli {

struct LinePattern::Compiled {
  regex_t expression{};
  bool valid = false;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (valid) regfree(&expression);
  }
};

Result<LinePattern> LinePattern::compile(const std::string& pattern) {
  if (pattern.empty() || pattern.size() > kLinePatternBytesMax) {
    return fail(ErrorCode::usage,
                "a regular expression has 1 to " + std::to_string(kLinePatternBytesMax) + " bytes");
  }
  auto compiled = std::make_shared<Compiled>();
  const int error = regcomp(&compiled->expression, pattern.c_str(), REG_EXTENDED);
  if (error != 0) {
    std::array<char, 256> text{};
    regerror(error, &compiled->expression, text.data(), text.size());
    return fail(ErrorCode::usage, "'" + pattern + "' is no regular expression: " + text.data());
  }
  compiled->valid = true;
  return LinePattern(std::move(compiled));
}

bool LinePattern::found_in(std::string_view line) const {
  // REG_STARTEND, of BSD and glibc: the text is given by its bounds.
  regmatch_t bounds{0, static_cast<regoff_t>(line.size())};
  const char* text = line.empty() ? "" : line.data();
  return regexec(&compiled_->expression, text, 1, &bounds, REG_STARTEND) == 0;
}

}  // namespace clusterd::cli
