// LogsOptions: what `clusterd logs` is to show, and how.
//
// Filled in by the rows of option_table.cpp, read by everything in this folder. Pure; the set_ functions
// check one word of the command line each, and their errors (of code usage) name the option.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/logs/line_pattern.h"
#include "cli/logs/log_template.h"
#include "common/result.h"

namespace clusterd::cli {

inline constexpr int kLogLinesDefault = 15;
inline constexpr int kLogLinesMax = 1'000'000;
inline constexpr std::size_t kHighlightBytesMax = 256;

enum class LogStreams { both, out, err };

// A point in time, as it was written: so long ago, or by the calendar.
struct Since {
  std::optional<std::chrono::milliseconds> ago;
  std::int64_t at_wall_ms = 0;
  std::int64_t wall_ms(std::int64_t now_wall_ms) const {
    return ago ? now_wall_ms - ago->count() : at_wall_ms;
  }
};

struct LogsOptions {
  std::optional<int> lines;  // of each file; of `why`: deaths
  bool follow = true;
  bool raw = false;
  bool daemon = false;  // the daemon's own log
  LogStreams streams = LogStreams::both;
  std::optional<LogTemplate> format;
  std::optional<std::string> timestamp;  // format of common/date_format
  std::string highlight;                 // empty: nothing
  std::optional<LinePattern> grep;
  std::optional<Since> since;
};

Result<> set_log_lines(LogsOptions& options, const std::string& text);
Result<> set_log_since(LogsOptions& options, const std::string& text);
Result<> set_log_grep(LogsOptions& options, const std::string& text);
Result<> set_log_highlight(LogsOptions& options, const std::string& text);
Result<> set_log_timestamp(LogsOptions& options, const std::string& text);  // empty: the default pattern
Result<> set_log_format(LogsOptions& options, const std::string& text);     // empty: the default template

}  // namespace clusterd::cli
