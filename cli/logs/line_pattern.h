// LinePattern: the regular expression of `logs --grep`, as `grep -E` has them.
//
// Wraps POSIX regcomp(3), whose matcher neither recurses nor backtracks without end on long lines, as
// std::regex does. Works on bytes; a NUL is a byte like others.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::size_t kLinePatternBytesMax = 1024;

class LinePattern {
 public:
  static Result<LinePattern> compile(const std::string& pattern);
  bool found_in(std::string_view line) const;

 private:
  struct Compiled;
  explicit LinePattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace clusterd::cli
