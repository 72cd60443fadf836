// LogPrinter: pieces of log output of several apps -> what `logs` shows.
//
// Pure; the caller writes what it emits. Pieces may end in the middle of a line: the rest continues it
// without a second prefix, unless another source speaks in between, which gets a line of its own. Prefixed
// and raw output pass bytes on as they come, so that a prompt is seen. What works on whole lines (JSON,
// templates, a filter, a highlight) keeps at most kLogLineBytesMax of an unfinished one per source.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/logs/log_record.h"
#include "cli/logs/logs_options.h"
#include "cli/table.h"

namespace clusterd::cli {

inline constexpr std::size_t kLogLineBytesMax = 1024 * 1024;

enum class LogFormat { prefixed, raw, json, templated };

class LogPrinter {
 public:
  using Emit = std::function<void(LogStream stream, std::string_view text)>;

  LogPrinter(LogFormat format, const LogsOptions& options, Style style, Emit emit);

  void print(const LogSource& source, WallMs at, std::string_view text);

  // What is held back because its line has not ended, and the newline an open line still needs.
  void finish();

 private:
  struct Unfinished {
    std::string text;
    WallMs at;
  };

  void print_pieces(const LogSource& source, WallMs at, std::string_view text);
  void print_lines(const LogSource& source, WallMs at, std::string_view text);
  void print_record(const LogRecord& record);
  std::string prefix(const LogSource& source, WallMs at);
  std::string stamp(WallMs at) const;
  std::string highlighted(std::string_view line) const;
  std::string json_line(const LogRecord& record) const;

  LogFormat format_;
  const LogsOptions& options_;
  Style style_;
  Emit emit_;
  bool whole_lines_;
  std::size_t label_width_ = 10;
  std::optional<LogSource> open_;                     // whose line on the screen has not ended
  std::map<LogSource, Unfinished> unfinished_lines_;  // whole lines only
};

}  // namespace clusterd::cli
