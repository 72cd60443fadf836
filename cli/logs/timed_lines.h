// TimedLines: a part of one file, line by line from its beginning, each with its time as far as it is known.
// merge_lines: several of them in the order of time.
//
// Used by `logs` for what was written before it began to follow. Each file keeps its own order whatever its
// times say. A file about whose lines nothing is known is shown in one piece, at the time it was last
// written. Memory: one block and one line a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/logs/file_tail.h"
#include "cli/logs/line_time.h"

namespace clusterd::cli {

class TimedLines {
 public:
  struct Line {
    std::string text;        // with its newline, unless it is the last and has none, or very long
    WallMs at;               // when it was written, if that is known
    std::int64_t order = 0;  // what it is sorted by; never goes back within a file
  };

  TimedLines(FileTail file, std::int64_t begin, std::int64_t end, TimeMarks marks);

  // Absent at the end, and when the file cannot be read any further.
  std::optional<Line> next();

 private:
  bool fill();
  std::int64_t first_order();
  WallMs time_of(std::string_view line, std::int64_t offset) const;

  FileTail file_;
  std::int64_t read_to_;  // of the file
  std::int64_t end_;
  TimeMarks marks_;
  std::string buffer_;
  std::size_t taken_ = 0;  // of the buffer
  WallMs last_time_;
  std::int64_t order_ = 0;
};

// Calls show(index of the file, line) for each line, until it returns false.
void merge_lines(std::vector<std::unique_ptr<TimedLines>>& files,
                 const std::function<bool(std::size_t, const TimedLines::Line&)>& show);

}  // namespace clusterd::cli
