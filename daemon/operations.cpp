#include "daemon/operations.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "common/operation.h"
#include "common/version.h"
#include "config/spec_json.h"
#include "daemon/doctor.h"
#include "daemon/launch_environment.h"
#include "daemon/system/process_identity.h"

namespace clusterd {

using nlohmann::json;

Operations::Operations(DaemonContext& context) : context_(context), starter_(context) {}

const Operations::Entry* Operations::find_entry(std::string_view name) {
  static constexpr std::array kEntries{
      Entry{"ping", &Operations::ping},
      Entry{"start", &Operations::start},
      Entry{"plan", &Operations::plan},
      Entry{"start_known", &Operations::start_known},
      Entry{"stop", &Operations::stop},
      Entry{"restart", &Operations::restart},
      Entry{"reload", &Operations::reload},
      Entry{"promote", &Operations::promote},
      Entry{"abort", &Operations::abort},
      Entry{"delete", &Operations::remove},
      Entry{"scale", &Operations::scale},
      Entry{"signal", &Operations::signal},
      Entry{"send", &Operations::send},
      Entry{"reset", &Operations::reset},
      Entry{"flush", &Operations::flush},
      Entry{"reload_logs", &Operations::reload_logs},
      Entry{"clear_saved", &Operations::clear_saved},
      Entry{"list", &Operations::list},
      Entry{"describe", &Operations::describe},
      Entry{"env", &Operations::env},
      Entry{"events", &Operations::events},
      Entry{"logs", &Operations::logs},
      Entry{"save", &Operations::save},
      Entry{"resurrect", &Operations::resurrect},
      Entry{"doctor", &Operations::doctor},
      Entry{"kill", &Operations::kill},
  };
  const auto found = std::ranges::find(kEntries, name, &Entry::name);
  return found == kEntries.end() ? nullptr : &*found;
}

void Operations::handle(const Request& request, const Reply& reply) {
  const Operation* operation = find_operation(request.op);
  const Entry* entry = find_entry(request.op);
  if (operation == nullptr || entry == nullptr)
    return reply->fail_with(unknown_operation(request.op), json::object());
  if (auto checked = check_arguments(*operation, request.args); !checked) {
    return reply->fail_with(checked.error(), json::object());
  }
  static constexpr std::array<std::string_view, 7> kStarters{"start",   "start_known", "restart",  "reload",
                                                             "promote", "scale",       "resurrect"};
  if (ending_ && std::ranges::find(kStarters, request.op) != kStarters.end()) {
    return reply->fail_with({ErrorCode::failed, "the daemon is ending; try again in a moment"},
                            json::object());
  }
  (this->*entry->handler)(request.args, reply);
  context_.supervisor.pump();
}

bool Operations::Target::means(int slot) const {
  return slots.empty() || std::ranges::find(slots, slot) != slots.end();
}

Result<std::vector<Operations::Target>> Operations::targets_of(const json& args) const {
  std::vector<std::string> words;
  if (args.contains("targets")) words = args["targets"].get<std::vector<std::string>>();
  if (args.contains("target")) words = {args["target"].get<std::string>()};
  return targets_of(words);
}

Result<std::vector<Operations::Target>> Operations::targets_of(const std::vector<std::string>& words) const {
  std::vector<AppFacts> facts;
  std::vector<App*> apps;
  for (auto& [key, app] : context_.supervisor.apps()) {
    AppFacts& entry = facts.emplace_back(AppFacts{key.name_space, key.name, {}});
    for (const SlotRecord& slot : app.slots) entry.ids.push_back(slot.id);
    apps.push_back(&app);
  }
  auto selected = select_targets(facts, words);
  if (!selected) return fail(selected.error());
  std::vector<Target> targets;
  for (Selection& selection : *selected) targets.push_back({apps[selection.app], std::move(selection.slots)});
  return targets;
}

bool Operations::names_targets(const json& args) {
  return args.contains("targets") && !args["targets"].empty();
}

Result<std::vector<Operations::Target>> Operations::targets_or_all(const json& args) const {
  return names_targets(args) ? targets_of(args) : targets_of(std::vector<std::string>{"all"});
}

std::shared_ptr<Gather> Operations::gather(const json& args, const Reply& reply, json result) const {
  return std::make_shared<Gather>(reply, std::move(result),
                                  args.value("wait", true) ? Patience::wait : Patience::answer_at_once);
}

void Operations::ping(const json&, const Reply& reply) {
  reply->succeed({{"pid", own_pid()}, {"version", kVersion}});
}

namespace {

// Of each view only these; a name that no view has is left out.
void keep_fields(json& instances, const std::vector<std::string>& fields) {
  for (json& instance : instances) {
    json kept = json::object();
    for (const std::string& field : fields) {
      if (const auto found = instance.find(field); found != instance.end()) kept[field] = std::move(*found);
    }
    instance = std::move(kept);
  }
}

}  // namespace

void Operations::list(const json& args, const Reply& reply) {
  auto targets = targets_or_all(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  json instances = json::array();
  for (const Target& target : *targets) {
    json of_app = json::array();
    context_.views.append_instances(*target.app, of_app);
    for (json& view : of_app) {
      if (target.means(view["slot"].get<int>())) instances.push_back(std::move(view));
    }
  }
  std::stable_sort(instances.begin(), instances.end(),
                   [](const json& a, const json& b) { return a["id"].get<int>() < b["id"].get<int>(); });
  if (args.contains("fields")) keep_fields(instances, args["fields"].get<std::vector<std::string>>());
  reply->succeed({{"instances", std::move(instances)}, {"apps", targets->size()}});
}

void Operations::describe(const json& args, const Reply& reply) {
  auto targets = targets_of(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  json apps = json::array();
  for (const Target& target : *targets) apps.push_back(context_.views.describe(*target.app));
  reply->succeed({{"apps", std::move(apps)}});
}

void Operations::env(const json& args, const Reply& reply) {
  const std::string id = args["id"].is_string() ? args["id"].get<std::string>() : args["id"].dump();
  auto targets = targets_of(std::vector<std::string>{id});
  if (!targets) return reply->fail_with(targets.error(), json::object());
  if (targets->empty()) return reply->fail_with({ErrorCode::not_found, "there are no apps"}, json::object());
  const Target& target = targets->front();
  const int slot = target.slots.empty() ? 0 : target.slots.front();
  json variables = json::object();
  const SlotRecord& record = target.app->slots[static_cast<std::size_t>(slot)];
  const LaunchOrder order{target.app->key,
                          0,
                          0,
                          record.id,
                          slot,
                          target.app->current,
                          record.restarts,
                          target.app->specs.at(target.app->current)};
  for (const std::string& entry : launch_environment(order, {})) {
    const std::size_t equals = entry.find('=');
    variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  reply->succeed({{"env", std::move(variables)}});
}

void Operations::events(const json& args, const Reply& reply) {
  std::set<AppKey> apps;
  if (names_targets(args)) {
    auto targets = targets_of(args);
    if (!targets) return reply->fail_with(targets.error(), json::object());
    for (const Target& target : *targets) apps.insert(target.app->key);
  }
  reply->event("following", {{"apps", apps.size()}});
  context_.events.follow(reply, std::move(apps));
}

void Operations::doctor(const json&, const Reply& reply) {
  reply->succeed({{"checks", run_doctor(context_.home, context_.host.balancing())}});
}

}  // namespace clusterd
