// Operations about app files: start what they say, say what that would do, and take away what they no longer
// name.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "config/spec_json.h"
#include "daemon/core/start_order.h"
#include "daemon/operations.h"
#include "daemon/spec_changes.h"
#include "daemon/system/usable_cpus.h"

namespace clusterd {

using nlohmann::json;

namespace {

Result<std::vector<AppSpec>> specs_of(const json& args) {
  std::vector<AppSpec> specs;
  for (const json& app : args["apps"]) {
    auto spec = parse_resolved_app(app);
    if (!spec) return fail(spec.error());
    specs.push_back(std::move(*spec));
  }
  return specs;
}

StartMode mode_of(const json& args) {
  const json& mode = args["mode"];
  if (mode == "apply") return StartMode::apply;
  if (mode == "reload") return StartMode::reload;
  return mode == "restart" ? StartMode::restart : StartMode::fresh;
}

}  // namespace

// What is known already stands in the way of a circle, too, unless it is about to be replaced.
Result<std::vector<std::size_t>> Operations::order_of(const std::vector<AppSpec>& specs) const {
  std::vector<const AppSpec*> given;
  std::set<AppKey> keys;
  for (const AppSpec& spec : specs) {
    given.push_back(&spec);
    keys.insert({spec.name_space, spec.name});
  }
  std::vector<const AppSpec*> others;
  for (const auto& [key, app] : context_.supervisor.apps()) {
    if (!keys.contains(key)) others.push_back(&app.spec());
  }
  return start_order(given, others);
}

void Operations::start(const json& args, const Reply& reply) {
  auto specs = specs_of(args);
  if (!specs) return reply->fail_with(specs.error(), json::object());
  const auto order = order_of(*specs);
  if (!order) return reply->fail_with(order.error(), json::object());
  auto taken = taken_for(args, *specs);
  if (!taken) return reply->fail_with(taken.error(), json::object());
  const auto parts = gather(args, reply, {{"apps", json::array()}});
  const bool update_env = args.value("update_env", false);
  for (const std::size_t index : *order) starter_.start(parts, (*specs)[index], mode_of(args), update_env);
  if (!taken->empty()) give_sockets(args, parts->result(), specs->front(), std::move(*taken));
  for (App* app : apps_to_prune(args, *specs)) {
    parts->result()["apps"].push_back(
        {{"name", app->key.name}, {"namespace", app->key.name_space}, {"outcome", "deleted"}});
    context_.waiters.until_gone(*app, {}, parts->part(), parts->progress());
    context_.supervisor.remove(*app, Hurry::graceful);
  }
}

// What other processes listen on and this new app is to go on with.
Result<std::vector<TakenSocket>> Operations::taken_for(const json& args,
                                                       const std::vector<AppSpec>& specs) const {
  if (!args.contains("take_sockets_from")) return {};
  if (specs.size() != 1 ||
      context_.supervisor.find({specs.front().name_space, specs.front().name}) != nullptr)
    return fail(ErrorCode::conflict, "sockets are taken over for one app that is not in the list yet");
  std::vector<pid_t> pids;
  for (const json& pid : args["take_sockets_from"]) pids.push_back(pid.get<pid_t>());
  return take_listening_sockets(pids);
}

// The app exists and none of its programs runs yet: nothing is done before the supervisor is pumped.
void Operations::give_sockets(const json& args, json& result, const AppSpec& spec,
                              std::vector<TakenSocket> sockets) {
  App* app = context_.supervisor.find({spec.name_space, spec.name});
  if (app == nullptr) return;
  result["taken"] = json::array();
  for (const TakenSocket& one : sockets) result["taken"].push_back(to_string(one.address));
  app->has_listened = args.value("serves_them", false);
  context_.host.socket_pool().add(app->key, std::move(sockets));
}

void Operations::plan(const json& args, const Reply& reply) {
  auto specs = specs_of(args);
  if (!specs) return reply->fail_with(specs.error(), json::object());
  json apps = json::array();
  for (const AppSpec& spec : *specs) {
    const App* known = context_.supervisor.find({spec.name_space, spec.name});
    const int count = resolve_instances(spec.instances, usable_cpus().count);
    const ApplyPlan plan = plan_apply(known, spec, count, StartMode::apply);
    json changes = json::array();
    if (known != nullptr) changes = spec_changes(known->spec(), merge_with_known(known->spec(), spec));
    if (plan == ApplyPlan::scale)
      changes.push_back({{"key", "running instances"}, {"from", known->size()}, {"to", count}});
    apps.push_back({{"name", spec.name},
                    {"namespace", spec.name_space},
                    {"outcome", outcome_word(plan, known, spec)},
                    {"changes", std::move(changes)}});
  }
  for (const App* app : apps_to_prune(args, *specs)) {
    apps.push_back({{"name", app->key.name},
                    {"namespace", app->key.name_space},
                    {"outcome", "deleted"},
                    {"changes", json::array()}});
  }
  reply->succeed({{"apps", std::move(apps)}});
}

// Only what came from one of these very files: apps of the command line and of other files are not theirs.
std::vector<App*> Operations::apps_to_prune(const json& args, const std::vector<AppSpec>& kept) const {
  std::vector<App*> apps;
  const json files = args.value("prune", json::array());
  for (auto& [key, app] : context_.supervisor.apps()) {
    if (app.deleted || std::ranges::find(files, json(app.spec().source_file)) == files.end()) continue;
    const bool is_kept = std::ranges::any_of(
        kept, [&](const AppSpec& spec) { return AppKey{spec.name_space, spec.name} == app.key; });
    if (!is_kept) apps.push_back(&app);
  }
  return apps;
}

}  // namespace clusterd
