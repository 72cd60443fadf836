// Operations that change what runs.
#include <algorithm>
#include <charconv>
#include <climits>
#include <nlohmann/json.hpp>
#include <set>

#include "common/signal_names.h"
#include "config/spec_json.h"
#include "daemon/core/start_order.h"
#include "daemon/gather.h"
#include "daemon/operations.h"
#include "daemon/system/usable_cpus.h"

namespace clusterd {

using nlohmann::json;

namespace {

// Starting what is on its way out would only confuse: it is refused by name.
std::optional<Error> on_its_way_out(const App& app) {
  if (!app.deleted) return std::nullopt;
  return Error{ErrorCode::conflict, app.key.name + ": is just being deleted; try again"};
}

Hurry hurry_of(const json& args) { return args.value("now", false) ? Hurry::at_once : Hurry::graceful; }

std::size_t size_of(const App& app, const std::vector<int>& slots) {
  return slots.empty() ? app.wanted.slots.size() : slots.size();
}

// "8", "+2", "-1"
Result<int> new_count(const json& value, int present) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const bool relative = text.starts_with('+') || text.starts_with('-');
  const int sign = text.starts_with('-') ? -1 : 1;
  if (relative) text.erase(0, 1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > kInstancesMax) {
    return fail(ErrorCode::usage, "'" + text + "' is not a number of instances; use 8, +2 or -1");
  }
  const int count = relative ? present + sign * number : number;
  if (count < 1 || count > kInstancesMax) {
    return fail(ErrorCode::usage, "an app has at least 1 and at most " + std::to_string(kInstancesMax) +
                                      " instances; this would be " + std::to_string(count) +
                                      " (use stop or delete to have none)");
  }
  return count;
}

}  // namespace

Result<std::optional<Environment>> Operations::inherited_env_of(const json& args) {
  if (!args.contains("inherited_env")) return std::nullopt;
  auto environment = environment_from_json(args["inherited_env"]);
  if (!environment) return fail(environment.error());
  return std::move(*environment);
}

void Operations::start_known(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  auto environment = inherited_env_of(args);
  if (!environment) return reply->fail_with(environment.error(), json::object());
  const auto parts = gather(args, reply, {{"apps", json::array()}});
  for (const Target& target : *targets) {
    if (const auto refusal = on_its_way_out(*target.app)) {
      parts->refuse(*refusal);
      continue;
    }
    starter_.start_known(parts, *target.app, target.slots, *environment ? &**environment : nullptr);
  }
}

void Operations::stop(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  std::size_t count = 0;
  for (const Target& target : *targets) count += size_of(*target.app, target.slots);
  const auto parts = gather(args, reply, {{"count", count}});
  for (Target& target : *targets) {
    context_.waiters.until_gone(*target.app, target.slots, parts->part(), parts->progress());
    context_.supervisor.stop(*target.app, target.slots, hurry_of(args));
  }
}

void Operations::remove(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  std::size_t count = 0;
  for (const Target& target : *targets) count += target.app->wanted.slots.size();
  for (const Target& target : *targets) {
    if (target.slots.empty() || target.slots.size() == target.app->wanted.slots.size()) continue;
    return reply->fail_with(
        {ErrorCode::usage, target.app->key.name + " has " + std::to_string(target.app->wanted.slots.size()) +
                               " instances; delete the app by name, or use scale or stop"},
        json::object());
  }
  const auto parts = gather(args, reply, {{"count", count}});
  for (Target& target : *targets) {
    context_.waiters.until_gone(*target.app, {}, parts->part(), parts->progress());
    context_.supervisor.remove(*target.app, hurry_of(args));
  }
}

// What --update-env and settings on the command line make of each target; all of them are checked before any
// changes.
Result<std::vector<Operations::Change>> Operations::changes_of(
    const std::vector<Target>& targets, const json& args, const std::optional<Environment>& environment) {
  std::vector<Change> changes;
  const json* settings = args.contains("settings") ? &args["settings"] : nullptr;
  for (const Target& target : targets) {
    Change& change = changes.emplace_back();
    if (!environment && settings == nullptr) continue;
    AppSpec spec = target.app->spec();
    if (environment) spec.inherited_env = *environment;
    if (settings != nullptr && !target.slots.empty() &&
        target.slots.size() != target.app->wanted.slots.size()) {
      return fail(ErrorCode::usage,
                  spec.name + ": settings are those of an app, not of one instance; name the app");
    }
    if (settings != nullptr) {
      auto changed = with_settings(std::move(spec), *settings);
      if (!changed) return fail(changed.error());
      spec = std::move(*changed);
      if (settings->contains("instances"))
        change.count = resolve_instances(spec.instances, usable_cpus().count);
    }
    change.spec = std::move(spec);
  }
  return changes;
}

void Operations::restart(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  auto environment = inherited_env_of(args);
  if (!environment) return reply->fail_with(environment.error(), json::object());
  std::size_t count = 0;
  for (const Target& target : *targets) count += size_of(*target.app, target.slots);
  auto changes = changes_of(*targets, args, *environment);
  if (!changes) return reply->fail_with(changes.error(), json::object());
  const auto parts = gather(args, reply, {{"count", count}});
  for (std::size_t i = 0; i < targets->size(); ++i) {
    Target& target = (*targets)[i];
    App& app = *target.app;
    if (const auto refusal = on_its_way_out(app)) {
      parts->refuse(*refusal);
      continue;
    }
    const Change& change = (*changes)[i];
    if (change.spec) context_.supervisor.update_spec(app, *change.spec);
    context_.supervisor.restart(app, target.slots);
    if (change.count) context_.supervisor.scale(app, *change.count);
    context_.waiters.until_up(app, target.slots, parts->part(), parts->progress());
  }
}

void Operations::reload(const json& args, const Reply& reply) {
  if (args.contains("canary")) return begin_canary(args, reply);
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  auto environment = inherited_env_of(args);
  if (!environment) return reply->fail_with(environment.error(), json::object());
  const bool everything = args["targets"] == json::array({"all"});
  // What the operator stopped stays stopped, unless it is named.
  if (everything) std::erase_if(*targets, [](const Target& target) { return !is_wanted_up(*target.app); });
  std::size_t count = 0;
  for (const Target& target : *targets) count += target.app->wanted.slots.size();
  auto changes = changes_of(*targets, args, *environment);
  if (!changes) return reply->fail_with(changes.error(), json::object());
  const auto parts = gather(args, reply, {{"count", count}});
  for (std::size_t i = 0; i < targets->size(); ++i) {
    App& app = *(*targets)[i].app;
    if (const auto refusal = on_its_way_out(app)) {
      parts->refuse(*refusal);
      continue;
    }
    const Change& change = (*changes)[i];
    if (!is_wanted_up(app)) {
      context_.supervisor.update_spec(app, change.spec.value_or(app.spec()));
      if (change.count) context_.supervisor.scale(app, *change.count);
      context_.supervisor.start(app, {});
      context_.waiters.until_up(app, {}, parts->part(), parts->progress());
      continue;
    }
    RolloutIntent intent{std::nullopt, *environment, change.count};
    if (args.contains("settings")) intent.spec = change.spec;
    context_.rollouts.request(app, std::move(intent), parts->part(), parts->progress());
  }
}

void Operations::reload_all() {
  for (auto& [key, app] : context_.supervisor.apps()) {
    if (app.deleted || !is_wanted_up(app)) continue;
    context_.rollouts.request(app, {}, [](const Outcome&) {}, [](const Progress&) {});
  }
  context_.supervisor.pump();
}

void Operations::scale(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  if (targets->size() != 1 || !targets->front().slots.empty()) {
    return reply->fail_with({ErrorCode::usage, "scale takes the name of one app"}, json::object());
  }
  App& app = *targets->front().app;
  if (const auto refusal = on_its_way_out(app)) return reply->fail_with(*refusal, json::object());
  const int from = static_cast<int>(app.size());
  const auto to = new_count(args["count"], from);
  if (!to) return reply->fail_with(to.error(), json::object());
  const auto parts = gather(args, reply, {{"from", from}, {"to", *to}});
  std::vector<int> leaving;
  for (int slot = *to; slot < from; ++slot) leaving.push_back(slot);
  if (!leaving.empty()) context_.waiters.until_gone(app, leaving, parts->part(), parts->progress());
  const bool up = is_wanted_up(app);
  context_.supervisor.scale(app, *to);
  std::vector<int> coming;
  for (int slot = from; slot < *to; ++slot) coming.push_back(slot);
  if (coming.empty()) return;
  if (up) return context_.waiters.until_up(app, coming, parts->part(), parts->progress());
  context_.supervisor.stop(app, coming, Hurry::graceful);  // a stopped app grows without starting
}

void Operations::signal(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  const json& wanted = args["signal"];
  auto number = signal_from_name(wanted.is_string() ? wanted.get<std::string>() : wanted.dump());
  if (!number) return reply->fail_with(number.error(), json::object());
  int count = 0;
  for (const Target& target : *targets) {
    for (const Instance& instance : target.app->instances) {
      if (!target.means(instance.slot)) continue;
      auto sent = context_.host.send_signal(instance.key, *number);
      if (!sent) return reply->fail_with(sent.error(), json::object());
      count += *sent;
    }
  }
  reply->succeed({{"count", count}});
}

// Each instance that runs gets the line; whoever cannot take it is named, and the others have it all the
// same.
void Operations::send(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  const std::string line = args["line"].get<std::string>() + args.value("separator", "\n");
  if (line.size() > PIPE_BUF) {
    const std::string size = std::to_string(line.size());
    return reply->fail_with({ErrorCode::usage, "the line has " + size + " bytes with its end; " +
                                                   std::to_string(PIPE_BUF) + " are allowed"},
                            json::object());
  }
  int count = 0;
  std::optional<Error> problem;
  for (const Target& target : *targets) {
    for (const Instance& instance : target.app->instances) {
      if (!target.means(instance.slot)) continue;
      auto sent = context_.host.write_input(instance.key, line);
      if (sent && *sent) ++count;
      if (sent || problem) continue;
      const std::string who = target.app->key.name + "." + std::to_string(instance.slot);
      problem = Error{sent.error().code, who + ": " + sent.error().message};
    }
  }
  if (!problem && count == 0) problem = Error{ErrorCode::conflict, "nothing of it runs"};
  if (problem) return reply->fail_with(*problem, {{"count", count}});
  reply->succeed({{"count", count}});
}

void Operations::reset(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  std::size_t count = 0;
  for (Target& target : *targets) {
    context_.supervisor.reset_counters(*target.app, target.slots);
    count += size_of(*target.app, target.slots);
  }
  reply->succeed({{"count", count}});
}

}  // namespace clusterd
