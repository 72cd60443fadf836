// WallTimer: readable when the wall clock has reached a moment, or when somebody has set that clock.
//
// Used by daemon/cron_restarts; one a daemon. Costs nothing while it waits. Source: timerfd_create(2),
// TFD_TIMER_CANCEL_ON_SET.
#pragma once

#include <cstdint>
#include <optional>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class WallTimer {
 public:
  static Result<WallTimer> create();

  int fd() const { return timer_.get(); }
  void set(std::optional<std::int64_t> seconds);  // since 1970; replaces the earlier moment; nothing: off
  void read();                                    // takes the event; the caller looks at the clock itself

 private:
  explicit WallTimer(UniqueFd timer) : timer_(std::move(timer)) {}

  UniqueFd timer_;
};

}  // namespace clusterd
