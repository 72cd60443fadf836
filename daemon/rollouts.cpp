#include "daemon/rollouts.h"

#include "daemon/app_starter.h"

namespace clusterd {
namespace {

AppSpec resolve(const App& app, const RolloutIntent& intent) {
  AppSpec spec = intent.spec ? merge_with_known(app.spec(), *intent.spec) : app.spec();
  if (intent.inherited_env) spec.inherited_env = *intent.inherited_env;
  return spec;
}

// The later word counts, where there is one.
void merge(RolloutIntent& queued, RolloutIntent later) {
  if (later.spec) queued.spec = std::move(later.spec);
  if (later.inherited_env) queued.inherited_env = std::move(later.inherited_env);
  if (later.count) queued.count = later.count;
  queued.renewal = later.renewal;
}

}  // namespace

Rollouts::Rollouts(Supervisor& supervisor, Waiters& waiters) : supervisor_(supervisor), waiters_(waiters) {
  waiters_.on_rollout_end([this](const AppKey& key) { next(key); });
}

void Rollouts::request(App& app, RolloutIntent intent, DoneHandler done, ProgressHandler progress) {
  if (!app.rollout && !queued_.contains(app.key)) {
    Askers askers;
    askers.emplace_back(std::move(done), std::move(progress));
    return begin(app, intent, std::move(askers));
  }
  progress({app.key, app.key.name + ": a reload is running, this one waits for its end", 0, 0});
  Queued& queued = queued_[app.key];
  merge(queued.intent, std::move(intent));
  queued.askers.emplace_back(std::move(done), std::move(progress));
}

void Rollouts::begin(App& app, const RolloutIntent& intent, Askers askers) {
  const AppSpec spec = resolve(app, intent);
  const int count = intent.count.value_or(static_cast<int>(app.size()));
  const Generation target = supervisor_.roll_out(app, spec, count, intent.renewal);
  for (auto& [done, progress] : askers) {
    if (spec.exec_mode == ExecMode::fork) {
      progress({app.key,
                app.key.name + ": exec_mode is fork, so each old instance stops before its successor starts; "
                               "cluster mode has no such gap",
                0, 0});
    }
    waiters_.until_rolled_out(app, target, std::move(done), std::move(progress));
  }
}

void Rollouts::next(const AppKey& key) {
  App* app = supervisor_.find(key);
  if (app != nullptr && app->rollout) return;  // another one has begun: its end comes here, too
  auto node = queued_.extract(key);
  if (node.empty()) return;
  Queued& queued = node.mapped();
  if (app != nullptr && !app->deleted && is_wanted_up(*app)) {
    begin(*app, queued.intent, std::move(queued.askers));
    return supervisor_.pump();
  }
  for (auto& [done, progress] : queued.askers) {
    done({Error{ErrorCode::failed, key.name + ": stopped before its queued reload began"}, {}});
  }
}

}  // namespace clusterd
