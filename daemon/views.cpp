#include "daemon/views.h"

#include <nlohmann/json.hpp>

#include "common/signal_names.h"
#include "config/field_values.h"
#include "config/spec_json.h"
#include "daemon/clock.h"
#include "daemon/system/process_identity.h"

namespace clusterd {

using nlohmann::json;

namespace {

constexpr std::size_t kMetersKept = 128;

json health_view(const HealthRecord& health) {
  const char* state = health.failures > 0 ? "failing" : health.passed ? "passing" : "unknown";
  return {{"state", state},
          {"failures", health.failures},
          {"note", health.failures > 0 ? json(health.note) : json(nullptr)}};
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

}  // namespace

json exit_view(const std::optional<ExitRecord>& exit) {
  if (!exit) return nullptr;
  if (exit->signal != 0) return {{"signal", signal_name(exit->signal)}};
  return {{"code", exit->code}};
}

Views::Views(const Supervisor& supervisor, ProcessHost& host, HomePaths home, int cpus)
    : supervisor_(supervisor),
      host_(host),
      home_(std::move(home)),
      cpus_(cpus),
      own_name_(user_name(own_uid())) {}

void Views::append_instances(const App& app, json& list) {
  // Meters of instances that are gone are never asked again.
  if (meters_.size() > meters_swept_at_) {
    std::erase_if(meters_, [&](const auto& entry) { return !supervisor_.knows(entry.first); });
    meters_swept_at_ = 2 * meters_.size() + kMetersKept;
  }
  const std::size_t slots = std::max(app.slots.size(), app.wanted.slots.size());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    bool shown = false;
    for (const Instance& instance : app.instances) {
      if (static_cast<std::size_t>(instance.slot) != slot) continue;
      list.push_back(slot_view(app, static_cast<int>(slot), &instance));
      shown = true;
    }
    if (!shown) list.push_back(slot_view(app, static_cast<int>(slot), nullptr));
  }
}

json Views::slot_view(const App& app, int slot, const Instance* instance) {
  const SlotRecord& record = app.slots[static_cast<std::size_t>(slot)];
  const AppSpec& spec = instance != nullptr ? *instance->spec : app.spec();
  const InstancePaths paths = instance_paths(home_, spec, slot, record.id);
  const ProgramFacts& program =
      host_.programs().of(app.key, instance != nullptr ? instance->key : InstanceKey{}, spec);
  json view{{"id", record.id},
            {"name", app.key.name},
            {"namespace", app.key.name_space},
            {"slot", slot},
            {"generation", instance != nullptr ? instance->generation : app.current},
            {"mode", spec.exec_mode == ExecMode::cluster ? "cluster" : "fork"},
            {"status", phase_status(instance != nullptr ? instance->phase : Phase::stopped)},
            {"pid", nullptr},
            {"started_at_ms", nullptr},
            {"uptime_ms", nullptr},
            {"created_at_ms", record.created_at_wall_ms},
            {"restarts", record.restarts},
            {"unstable_restarts", instance != nullptr ? instance->attempts : 0},
            {"max_restarts", or_null(spec.max_restarts)},
            {"cpu", nullptr},
            {"memory", nullptr},
            {"connections", nullptr},
            {"user", spec.uid.empty() ? own_name_ : spec.uid},
            {"watching", spec.watch.on},
            {"instances", app.size()},
            {"exit", exit_view(record.last_exit)},
            {"reason", instance != nullptr && !instance->reason.empty() ? instance->reason : record.reason},
            {"next_start_ms", nullptr},
            {"status_text", nullptr},
            {"main_pid", nullptr},
            {"reloading", false},
            {"health", nullptr},
            {"script", spec.script},
            {"exec_path", program.path},
            {"version", or_null(program.version)},
            {"args", spec.args},
            {"cwd", spec.cwd},
            {"interpreter", spec.interpreter},
            {"interpreter_args", spec.interpreter_args},
            {"autorestart", spec.autorestart},
            {"autostart", spec.autostart},
            {"treekill", spec.treekill},
            {"cron_restart", or_null(spec.cron.pattern)},
            {"max_memory_restart", or_null(spec.max_memory_restart)},
            {"merge_logs", logs_merged(spec)},
            {"out_file", paths.out_file},
            {"error_file", paths.error_file},
            {"pid_file", paths.pid_file}};
  if (!app.waits_for.empty()) view["reason"] = "waits for " + app.waits_for;
  if (instance != nullptr) add_process(app, *instance, view);
  return view;
}

void Views::add_process(const App& app, const Instance& instance, json& view) {
  const Milliseconds now = host_.now().monotonic;
  if (instance.phase == Phase::backing_off && instance.next_start_at) {
    view["next_start_ms"] = std::max<std::int64_t>(0, (*instance.next_start_at - now).count());
  }
  if (!instance.pid) return;
  if (!instance.status_text.empty()) view["status_text"] = instance.status_text;
  view["main_pid"] = or_null(instance.main_pid);
  view["reloading"] = instance.reloading;
  if (instance.spec->health) view["health"] = health_view(instance.health);
  view["pid"] = *instance.pid;
  view["started_at_ms"] = instance.started_at_wall_ms;
  view["uptime_ms"] = (now - instance.started_at).count();
  view["connections"] = connections(app, instance.key);
  const auto sample = sample_process(*instance.pid);
  if (!sample) return;
  const auto known = meters_.find(instance.key);
  if (known == meters_.end() || known->second.life != instance.life) {
    meters_.insert_or_assign(instance.key,
                             Meter{instance.life, CpuMeter(instance.started_at, cpus_, ticks_per_second())});
  }
  view["cpu"] = or_null(meters_.at(instance.key).meter.percent(*sample, now));
  view["memory"] = sample->memory_bytes;
}

// Of an app without an address of ours nothing is known, and nothing is looked for.
json Views::connections(const App& app, InstanceKey key) const {
  if (host_.listeners().groups(app.key) == nullptr) return nullptr;
  const LaneLoad load = host_.load_of(key);
  json view{{"open", nullptr}, {"queued", nullptr}, {"total", nullptr}};
  // Of Unix sockets nobody counts anything, and what waits at a socket that all share waits for nobody in
  // particular.
  if (load.open && (load.counted || !host_.listeners().ports(app.key).empty())) {
    view["open"] = load.connections();
  }
  if (host_.listeners().steers(app.key, key)) view["queued"] = load.queued;
  if (load.counted) view["total"] = load.total;
  return view;
}

json Views::listeners(const App& app) const {
  json list = json::array();
  const auto* held = host_.listeners().groups(app.key);
  if (held == nullptr) return list;
  for (const auto& group : *held) {
    list.push_back({{"address", to_string(group->bound())},
                    {"source", group->declared() ? "declared" : "taken over from bind()"},
                    {"listening", group->listening()},
                    {"users", group->users().size()},
                    {"balance", balance_word(group->choice().balance)},
                    {"balance_reason", group->choice().reason}});
  }
  return list;
}

json Views::describe(const App& app) {
  json instances = json::array();
  append_instances(app, instances);
  const BalanceChoice choice = host_.balancing().choose(app.spec().balance, AddressFamily::tcp4);
  json view{{"name", app.key.name},
            {"namespace", app.key.name_space},
            {"spec", to_json_without_env(app.spec())},
            {"instances", std::move(instances)},
            {"listeners", listeners(app)},
            {"generation", app.current},
            {"balance", balance_word(choice.balance)},
            {"balance_reason", choice.reason}};
  if (app.canary) {
    view["canary"] = {{"generation", app.canary->target},
                      {"slot", app.wanted.slots.size() - 1},
                      {"share", app.canary->permille / 1000.0}};
  }
  if (app.rollout) {
    const RolloutJudgement judgement = judge_rollout(*app.rollout, app.wanted, seen_of(app));
    view["rollout"] = {{"target", app.rollout->target},
                       {"replaced", judgement.replaced},
                       {"total", app.wanted.slots.size()}};
  }
  if (add_facts_) add_facts_(app, view);
  return view;
}

}  // namespace clusterd
