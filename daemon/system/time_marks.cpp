#include "daemon/system/time_marks.h"

namespace clusterd {

void TimeMarks::note(std::uint64_t offset, MonotonicTime now) {
  if (!marks_.empty() && offset < marks_.back().offset) marks_.clear();  // emptied by somebody
  if (!marks_.empty() && offset == marks_.back().offset) {
    marks_.back().at = now;  // nothing was written at that time
    return;
  }
  if (marks_.size() >= kTimeMarksMax) {
    std::vector<TimeMark> kept;
    kept.reserve(kTimeMarksMax);
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (i >= kTimeMarksMax / 2 || i % 2 == 0) kept.push_back(marks_[i]);
    }
    marks_ = std::move(kept);
  }
  marks_.push_back({offset, now});
}

}  // namespace clusterd
