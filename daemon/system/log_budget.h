// LogBudget: how many bytes all log files of the daemon may still grow together; the brake
// `max_total_log_size`.
//
// One per daemon, owned by LogHub, filled by the glue, which knows the size of everything, and spent by each
// LogFile as it writes. Unlimited until it is told otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace clusterd {

class LogBudget {
 public:
  void set(std::optional<std::int64_t> bytes_left) { left_ = bytes_left; }
  bool allows(std::size_t bytes) const { return !left_ || *left_ >= static_cast<std::int64_t>(bytes); }
  void regain(std::uint64_t bytes) {
    if (left_) *left_ += static_cast<std::int64_t>(bytes);
  }
  void spend(std::size_t bytes) {
    if (left_) *left_ -= static_cast<std::int64_t>(bytes);
  }

 private:
  std::optional<std::int64_t> left_;
};

}  // namespace clusterd
