#include "daemon/unasked_restart.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace clusterd {

void restart_unasked(Supervisor& supervisor, Rollouts& rollouts, App& app, const std::string& reason) {
  spdlog::info("{}: restarting: {}", app.key.name, reason);
  const bool serves =
      std::ranges::any_of(app.instances, [](const Instance& one) { return one.phase == Phase::online; });
  if (!serves && !app.rollout) return supervisor.restart(app, {}, reason);
  RolloutIntent intent;
  intent.renewal = reason;
  rollouts.request(app, std::move(intent), [](const Outcome&) {}, [](const Progress&) {});
}

}  // namespace clusterd
