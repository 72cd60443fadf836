// When was a line written? What a file itself and the daemon say about that.
//
// Pure. line_time() reads the stamp a line begins with, or the time of a JSON log line. TimeMarks are the
// daemon's notes: from which offset on a file was written when. A line without either has its time from the
// one before it (a stack trace), or none.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/logs/log_record.h"

namespace clusterd::cli {

inline constexpr std::size_t kLineTimeBytesMax = 4096;  // of a JSON line: its time stands near its beginning

WallMs line_time(std::string_view line);

class TimeMarks {
 public:
  TimeMarks() = default;
  // (offset, wall-clock ms), ascending in both.
  explicit TimeMarks(std::vector<std::pair<std::int64_t, std::int64_t>> marks) : marks_(std::move(marks)) {}

  bool empty() const { return marks_.empty(); }
  WallMs time_at(std::int64_t offset) const;  // absent: from before the first mark
  std::int64_t first_offset() const { return marks_.front().first; }
  std::int64_t first_time() const { return marks_.front().second; }
  // Where what was written at `since` or later begins, if that is behind the first mark; absent: before it.
  std::optional<std::int64_t> offset_since(std::int64_t since) const;

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> marks_;
};

}  // namespace clusterd::cli
