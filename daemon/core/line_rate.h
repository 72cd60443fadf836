// LineRate: at most so many lines in each second; the rest is counted.
//
// Pure; one per limited stream. A second begins with the first line after the last one was over, so a burst
// passes whole if it is within the limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace clusterd {

class LineRate {
 public:
  explicit LineRate(int lines_per_second) : limit_(lines_per_second) {}

  // Called before lines of that time are asked for. True: a new second, after one in which lines were
  // dropped.
  bool turn_to(std::chrono::milliseconds now) {
    if (begun_ && now - begin_ < std::chrono::seconds{1}) return false;
    begun_ = true;
    begin_ = now;
    passed_ = 0;
    return dropped_ > 0;
  }
  bool admit() {
    if (passed_ >= limit_) {
      ++dropped_;
      return false;
    }
    ++passed_;
    return true;
  }
  bool has_dropped() const { return dropped_ > 0; }
  std::uint64_t take_dropped() { return std::exchange(dropped_, 0); }

 private:
  int limit_;
  bool begun_ = false;
  std::chrono::milliseconds begin_{0};
  int passed_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace clusterd
