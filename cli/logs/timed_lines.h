// TimedLines: a part of one file, line by line from its beginning, each with its time as far as it is known.
// ChainedLines: several files of one log, one behind the other. merge_lines: several logs in the order of
// time.
//
// Used by `logs` for what was written before it began to follow. Each file keeps its own order whatever its
// times say. A file about whose lines nothing is known is shown in one piece, at the time it was last
// written. Memory: one block and one line a file.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/logs/byte_source.h"
#include "cli/logs/line_time.h"

namespace clusterd::cli {

class LineSource {
 public:
  struct Line {
    std::string text;        // with its newline, unless it is the last and has none, or very long
    WallMs at;               // when it was written, if that is known
    std::int64_t order = 0;  // what it is sorted by; never goes back within a source
  };

  virtual ~LineSource() = default;
  // Absent at the end, and when it cannot be read any further.
  virtual std::optional<Line> next() = 0;
};

class TimedLines final : public LineSource {
 public:
  // What begins at offset `begin` of a file that was last written at `changed_wall_ms`.
  TimedLines(std::unique_ptr<ByteSource> bytes, std::int64_t begin, TimeMarks marks,
             std::int64_t changed_wall_ms);

  std::optional<Line> next() override;

 private:
  bool fill();
  std::int64_t first_order();
  WallMs time_of(std::string_view line, std::int64_t offset) const;

  std::unique_ptr<ByteSource> bytes_;
  std::int64_t read_to_;  // of the file
  TimeMarks marks_;
  std::int64_t changed_wall_ms_;
  std::string buffer_;
  std::size_t taken_ = 0;  // of the buffer
  WallMs last_time_;
  std::int64_t order_ = 0;
};

class ChainedLines final : public LineSource {
 public:
  using Open = std::move_only_function<std::unique_ptr<LineSource>()>;  // null: it has gone

  // Oldest first; each is opened when the one before it has ended.
  explicit ChainedLines(std::deque<Open> parts) : parts_(std::move(parts)) {}

  std::optional<Line> next() override;

 private:
  std::deque<Open> parts_;
  std::unique_ptr<LineSource> part_;
  std::int64_t order_ = 0;
};

// Calls show(index of the source, line) for each line, until it returns false.
void merge_lines(std::vector<std::unique_ptr<LineSource>>& sources,
                 const std::function<bool(std::size_t, const LineSource::Line&)>& show);

}  // namespace clusterd::cli
