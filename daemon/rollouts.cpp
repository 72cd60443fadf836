#include "daemon/rollouts.h"

#include <algorithm>

namespace clusterd {

Rollouts::Rollouts(Supervisor& supervisor, Waiters& waiters) : supervisor_(supervisor), waiters_(waiters) {
  waiters_.on_rollout_end([this](const AppKey& key) { next(key); });
}

void Rollouts::request(App& app, const AppSpec& spec, int count, DoneHandler done, ProgressHandler progress) {
  if (!app.rollout) return begin(app, spec, count, {{std::move(done), std::move(progress)}});
  progress({app.key, app.key.name + ": a reload is running, this one waits for its end", 0, 0});
  Queued& queued = queued_[app.key];
  queued.spec = spec;
  queued.count = count;
  queued.who.emplace_back(std::move(done), std::move(progress));
}

void Rollouts::begin(App& app, const AppSpec& spec, int count,
                     std::vector<std::pair<DoneHandler, ProgressHandler>> who) {
  const Generation target = supervisor_.roll_out(app, spec, count);
  const bool gap = spec.exec_mode == ExecMode::fork;
  for (auto& [done, progress] : who) {
    if (gap) {
      progress({app.key,
                app.key.name + ": exec_mode is fork, so each old instance stops before its successor starts; "
                               "cluster mode has no such gap",
                0, 0});
    }
    waiters_.until_rolled_out(app, target, std::move(done), std::move(progress));
  }
  supervisor_.pump();
}

void Rollouts::next(const AppKey& key) {
  auto node = queued_.extract(key);
  if (node.empty()) return;
  Queued& queued = node.mapped();
  App* app = supervisor_.find(key);
  const bool wanted =
      app != nullptr && !app->deleted &&
      std::ranges::any_of(app->wanted.slots, [](const auto& slot) { return slot.goal == Goal::up; });
  if (wanted && !app->rollout) return begin(*app, queued.spec, queued.count, std::move(queued.who));
  for (auto& [done, progress] : queued.who) {
    done({Error{ErrorCode::failed, key.name + ": stopped before its queued reload began"}, {}});
  }
}

}  // namespace clusterd
