// Operations on a canary: one instance of a new version beside the old ones.
#include <nlohmann/json.hpp>

#include "daemon/gather.h"
#include "daemon/operations.h"

namespace clusterd {

using nlohmann::json;

namespace {

constexpr int kPermilleMin = 1;
constexpr int kPermilleMax = 999;

Result<void> may_have_canary(const App& app) {
  const std::string& name = app.key.name;
  if (app.deleted) return fail(ErrorCode::conflict, name + ": is just being deleted; try again");
  if (!is_wanted_up(app))
    return fail(ErrorCode::failed, name + ": is stopped; a canary needs somebody beside it");
  if (app.spec().exec_mode == ExecMode::fork) {
    return fail(ErrorCode::usage,
                name +
                    ": exec_mode is fork, so its instances share no address and none can be "
                    "given a part of the connections; start the new version under another "
                    "name, or use cluster mode");
  }
  if (app.rollout) return fail(ErrorCode::conflict, name + ": a reload is running; wait for its end");
  if (app.canary) return fail(ErrorCode::conflict, name + ": has a canary already; promote or abort it");
  return {};
}

}  // namespace

void Operations::begin_canary(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  if (targets->size() != 1 || !targets->front().slots.empty()) {
    return reply->fail_with({ErrorCode::usage, "a canary is of one app; give its name"}, json::object());
  }
  const auto permille = args["canary"].get<std::int64_t>();
  if (permille < kPermilleMin || permille > kPermilleMax) {
    return reply->fail_with({ErrorCode::usage, "the part of a canary is from 1 to 999 thousandths"},
                            json::object());
  }
  App& app = *targets->front().app;
  if (auto allowed = may_have_canary(app); !allowed) return reply->fail_with(allowed.error(), json::object());
  for (const char* key : {"instances", "exec_mode"}) {
    if (!args.contains("settings") || !args["settings"].contains(key)) continue;
    return reply->fail_with(
        {ErrorCode::usage, std::string(key) + " is no setting of one instance; try out the rest"},
        json::object());
  }
  auto environment = inherited_env_of(args);
  if (!environment) return reply->fail_with(environment.error(), json::object());
  auto changes = changes_of(*targets, args, *environment);
  if (!changes) return reply->fail_with(changes.error(), json::object());
  const AppSpec spec = changes->front().spec.value_or(app.spec());
  const int slot = context_.supervisor.begin_canary(app, spec, static_cast<int>(permille));
  const auto parts = gather(args, reply, {{"count", 1}, {"slot", slot}});
  const auto progress = parts->progress();
  if (context_.host.balancing().choose(spec.balance, AddressFamily::tcp4).balance == Balance::shared) {
    progress({app.key,
              app.key.name +
                  ": balance is shared, so whoever accepts first has the connection: the canary gets "
                  "about one part in " +
                  std::to_string(slot + 1),
              0, 0});
  }
  const auto done = [this, key = app.key, finish = parts->part()](const Outcome& outcome) {
    App* known = context_.supervisor.find(key);
    if (outcome.error && known != nullptr) {
      context_.supervisor.abort_canary(*known);
      context_.supervisor.pump();
    }
    finish(outcome);
  };
  context_.waiters.until_up(app, {slot}, done, progress);
}

Result<App*> Operations::canary_app(const json& args) const {
  auto targets = targets_of(args);
  if (!targets) return fail(targets.error());
  App& app = *targets->front().app;
  if (targets->size() != 1 || !app.canary) {
    return fail(ErrorCode::usage, app.key.name + ": has no canary; `reload --canary 10%` starts one");
  }
  return &app;
}

void Operations::promote(const json& args, const Reply& reply) {
  auto app = canary_app(args);
  if (!app) return reply->fail_with(app.error(), json::object());
  const auto parts = gather(args, reply, {{"count", (*app)->size()}});
  const Generation target = context_.supervisor.promote_canary(**app);
  context_.waiters.until_rolled_out(**app, target, parts->part(), parts->progress());
}

void Operations::abort(const json& args, const Reply& reply) {
  auto app = canary_app(args);
  if (!app) return reply->fail_with(app.error(), json::object());
  const int slot = static_cast<int>((*app)->wanted.slots.size()) - 1;
  const auto parts = gather(args, reply, {{"count", 1}});
  context_.waiters.until_gone(**app, {slot}, parts->part(), parts->progress());
  context_.supervisor.abort_canary(**app);
}

}  // namespace clusterd
