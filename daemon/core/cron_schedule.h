// cron_schedule: when a cron pattern comes true next in a time zone, and what a clock that jumps does to it.
//
// Pure: the time and the zone come in. Used by daemon/cron_restarts and daemon/log_keeper, which own the
// clock and the timer. Times are whole seconds since 1970-01-01 00:00 UTC. Why it treats the days of a clock
// change the way it does: docs/decisions/0015-time-and-files.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/civil_time.h"
#include "config/cron_pattern.h"

namespace clusterd {

// A clock that is put back by no more than this does not run again what has run.
inline constexpr std::int64_t kPutBackSecondsMax = 3 * 3'600;

// The first moment after `after`. A time that is skipped by a clock change comes at the moment of the change,
// one that is repeated comes the first time only. A pattern of every hour is not bound to the clock on the
// wall: it goes on in the repeated hour, and has nothing to make up for the skipped one.
std::optional<std::int64_t> next_fire(const CronPattern& pattern, const ZoneRules& zone, std::int64_t after);

// One schedule: asked whenever the timer ends or the clock was set.
class CronSchedule {
 public:
  explicit CronSchedule(CronPattern pattern) : pattern_(pattern) {}

  // True if its time has come: once, however many times have passed. Sets due() to the next.
  bool wake(const ZoneRules& zone, std::int64_t now);
  std::optional<std::int64_t> due() const { return due_; }
  const CronPattern& pattern() const { return pattern_; }

 private:
  CronPattern pattern_;
  std::optional<std::int64_t> due_;
  std::optional<std::int64_t> last_;
};

}  // namespace clusterd
