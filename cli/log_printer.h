// LogPrinter: pieces of log output of several apps -> what `logs` shows.
//
// Pure; the caller writes the result. Pieces may end in the middle of a line: the rest continues it without a
// second prefix, unless another source speaks in between, which gets a line of its own. Prefixed and raw
// output pass bytes on as they are; JSON output needs whole lines and keeps at most kLogLineBytesMax of an
// unfinished one per source.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "cli/table.h"

namespace clusterd::cli {

inline constexpr std::size_t kLogLineBytesMax = 1024 * 1024;

enum class LogFormat { prefixed, raw, json };
enum class LogStream { out, err };

struct LogSource {
  std::optional<int> id;  // absent: several instances share one file
  std::string name;
  LogStream stream = LogStream::out;
  auto operator<=>(const LogSource&) const = default;
};

class LogPrinter {
 public:
  LogPrinter(LogFormat format, Style style) : format_(format), style_(style) {}

  std::string print(const LogSource& source, std::string_view text);

  // What is held back because its line has not ended, and the newline an open line still needs.
  std::string finish();

 private:
  std::string print_prefixed(const LogSource& source, std::string_view text);
  std::string print_json(const LogSource& source, std::string_view text);
  std::string prefix(const LogSource& source);

  LogFormat format_;
  Style style_;
  std::size_t label_width_ = 10;
  std::optional<LogSource> open_;             // whose line on the screen has not ended
  std::map<LogSource, std::string> pending_;  // JSON only
};

}  // namespace clusterd::cli
