#include "daemon/core/restart_policy.h"

#include <algorithm>
#include <cmath>

namespace clusterd {
namespace {

constexpr double kGrowth = 1.5;
constexpr double kJitterShare = 0.1;
constexpr Milliseconds kBaseDelayDefault{100};

bool is_final_code(const AppSpec& spec, std::optional<int> code) {
  return code && std::ranges::find(spec.stop_exit_codes, *code) != spec.stop_exit_codes.end();
}

}  // namespace

Trigger classify_exit(const AppSpec& spec, const EndOfLife& end) {
  if (end.goal == Goal::down) return Trigger::ended;
  if (!end.executed) return Trigger::launch_failed;
  if (!spec.autorestart || is_final_code(spec, end.exit_code)) return Trigger::ended;
  if (end.settled) return spec.restart_delay.count() > 0 ? Trigger::crashed_delayed : Trigger::crashed_stable;
  if (spec.max_restarts && end.attempts + 1 >= *spec.max_restarts) return Trigger::gave_up;
  return Trigger::crashed_unstable;
}

Milliseconds restart_delay(const AppSpec& spec, int attempts, double jitter) {
  if (spec.restart_delay.count() > 0) return spec.restart_delay;
  // 0 means "off" to PM2's users; off must not mean a tight loop.
  const Milliseconds base =
      spec.exp_backoff_restart_delay.count() > 0 ? spec.exp_backoff_restart_delay : kBaseDelayDefault;
  const double cap = static_cast<double>(std::max(spec.exp_backoff_max, base).count());
  const double grown = static_cast<double>(base.count()) * std::pow(kGrowth, std::max(0, attempts - 1));
  const double wanted = std::min(cap, grown) * (1 + kJitterShare * std::clamp(jitter, -1.0, 1.0));
  return Milliseconds(static_cast<std::int64_t>(std::min(cap, wanted)));
}

Milliseconds ready_deadline(const AppSpec& spec, ReadyBy ready_by) {
  if (ready_by == ReadyBy::delay) return spec.ready.delay;
  return ready_by == ReadyBy::survival ? spec.min_uptime : spec.listen_timeout;
}

}  // namespace clusterd
