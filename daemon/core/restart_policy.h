// What an exit means and when the next start comes.
//
// Pure: the supervisor asks classify_exit() once for every life that ended and restart_delay() once for every
// pause. Durations are monotonic milliseconds; randomness comes in as a number.
#pragma once

#include <optional>

#include "config/app_spec.h"
#include "daemon/core/lifecycle.h"
#include "daemon/core/reconcile.h"

namespace clusterd {

struct EndOfLife {
  Goal goal = Goal::up;          // what the operator or a rollout wanted of it
  bool executed = true;          // false: the program could not be executed at all
  bool settled = false;          // it had been online for min_uptime
  int attempts = 0;              // unstable lives in a row before this one
  std::optional<int> exit_code;  // absent: ended by a signal, or because a check of ours failed
};

// Never `start`, `ready` or an order: one of the triggers that say how a life ended.
Trigger classify_exit(const AppSpec& spec, const EndOfLife& end);

// Pause before the start that follows `attempts` unstable lives in a row (>= 1). jitter in [-1, 1] moves a
// growing delay by up to a tenth, so that fifty instances that lost the same database do not come back in one
// instant.
Milliseconds restart_delay(const AppSpec& spec, int attempts, double jitter);

// Not ready after this long is a failed start.
enum class ReadyBy {
  evidence,  // it has to listen or say READY=1 within listen_timeout
  survival,  // nothing tells: alive for min_uptime is ready
  delay,     // alive for as long as `ready` says
};
Milliseconds ready_deadline(const AppSpec& spec, ReadyBy ready_by);

}  // namespace clusterd
