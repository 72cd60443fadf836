// LogSource and LogRecord: one line of output, and whose it is.
//
// Pure values, passed between everything in this folder. Times are wall-clock milliseconds, absent where
// nobody knows when the line was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd::cli {

enum class LogStream { out, err };

struct LogSource {
  std::optional<int> id;  // absent: several instances share one file
  std::string name;
  LogStream stream = LogStream::out;
  std::optional<int> slot{};
  std::string name_space = "default";
  auto operator<=>(const LogSource&) const = default;
};

using WallMs = std::optional<std::int64_t>;

struct LogRecord {
  const LogSource& source;
  WallMs at;
  std::string_view line;  // without its newline
};

inline std::string_view stream_word(LogStream stream) { return stream == LogStream::out ? "out" : "err"; }

}  // namespace clusterd::cli
