// TimeMarks: from which offset on a growing file was written when, in bounded memory.
//
// Pure; kept by whoever writes a file, read by the `logs` operation, so that lines without a stamp have a
// time. The latest marks are exact to the millisecond. When there are kTimeMarksMax, every second one of the
// older half is forgotten: the further back, the coarser, and the first one stays. A file that begins anew
// forgets them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "daemon/system/monotonic_time.h"

namespace clusterd {

inline constexpr std::size_t kTimeMarksMax = 256;

struct TimeMark {
  std::uint64_t offset = 0;  // what stands here and behind was written at `at` or later
  MonotonicTime at{};
  bool operator==(const TimeMark&) const = default;
};

class TimeMarks {
 public:
  // Cheap to ask: nothing is to be noted twice in a millisecond.
  bool wants(MonotonicTime now) const { return marks_.empty() || marks_.back().at != now; }
  void note(std::uint64_t offset, MonotonicTime now);
  void clear() { marks_.clear(); }
  std::vector<TimeMark> take() { return std::exchange(marks_, {}); }
  const std::vector<TimeMark>& marks() const { return marks_; }

 private:
  std::vector<TimeMark> marks_;
};

}  // namespace clusterd
