#include "daemon/system/wall_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<WallTimer> WallTimer::create() {
  UniqueFd timer(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return system_error("cannot make a timer", errno);
  return WallTimer(std::move(timer));
}

void WallTimer::set(std::optional<std::int64_t> seconds) {
  itimerspec when{};
  when.it_value.tv_sec = seconds.value_or(0);
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, nullptr);
}

// ECANCELED: the clock was set. The timer goes on with the moment it had.
void WallTimer::read() {
  std::uint64_t times = 0;
  [[maybe_unused]] const ssize_t ignored = ::read(timer_.get(), &times, sizeof times);
}

}  // namespace clusterd
