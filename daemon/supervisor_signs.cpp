// The signs an instance gives while it lives: what it says by sd_notify, what probes and health checks met,
// and the replacement of those that work no more.
#include <algorithm>

#include "daemon/supervisor.h"

namespace clusterd {
namespace {

// What may take longer if the instance asks for it.
bool is_extensible(const Instance& instance) {
  if (instance.phase == Phase::stopping) return instance.spec->kill_timeout != kNoTimeLimit;
  return instance.phase == Phase::starting || instance.phase == Phase::draining;
}

// Its slot wants this very generation: it is not being replaced already.
bool is_wanted(const App& app, const Instance& instance) {
  const auto slot = static_cast<std::size_t>(instance.slot);
  return slot < app.wanted.slots.size() && app.wanted.slots[slot].generation == instance.generation;
}

bool is_successor_of(const App& app, const Instance& instance) {
  return app.rollout && instance.generation == app.rollout->target;
}

}  // namespace

void Supervisor::set_reason(App& app, Instance& instance, const std::string& reason) {
  instance.reason = reason;
  instance.ending_reason = reason;
  const auto slot = static_cast<std::size_t>(instance.slot);
  if (slot < app.slots.size()) app.slots[slot].reason = reason;
}

void Supervisor::handle_notice(App& app, Instance& instance, const Notice& notice) {
  if (notice.status) instance.status_text = *notice.status;
  if (notice.main_pid) instance.main_pid = notice.main_pid;
  if (notice.extension) extend(instance, *notice.extension);
  if (notice.watchdog_trigger) condemn(app, instance, "watchdog: it said WATCHDOG=trigger");
  if (notice.stopping) {
    const bool up = instance.phase == Phase::starting || instance.phase == Phase::online;
    if (up) set_reason(app, instance, "it announced its end (STOPPING=1)");
    return apply(app, instance, Trigger::announced_end);
  }
  if (notice.reloading) instance.reloading = true;
}

// Never shortens, and ends with the phase.
void Supervisor::extend(Instance& instance, Milliseconds extension) {
  if (!is_extensible(instance)) return;
  const Milliseconds now = host_.now().monotonic;
  const Milliseconds until = std::min(now + extension, instance.phase_since + kExtensionMax);
  if (until > instance.deadline) arm(instance, until - now);
}

// Ended now and started again by the restart policy.
void Supervisor::condemn(App& app, Instance& instance, const std::string& reason) {
  if (instance.phase != Phase::starting && instance.phase != Phase::online)
    return apply(app, instance, Trigger::failed_check);
  set_reason(app, instance, reason);
  instance.condemned = true;
  apply(app, instance, Trigger::failed_check);
}

void Supervisor::handle_probe(App& app, Instance& instance, const InstanceEvent& event) {
  if (!event.passed) {
    instance.probe_note = event.note;
    return;
  }
  if (is_ready(*instance.spec, Sign::proved, ready_facts(app, instance)))
    return apply(app, instance, Trigger::ready);
  instance.probe_note = "answered, but not by this instance, which has not called listen()";
}

void Supervisor::handle_check(App& app, Instance& instance, const InstanceEvent& event) {
  if (instance.phase != Phase::online || !instance.spec->health) return;
  const Milliseconds now = host_.now().monotonic;
  switch (note_check(instance.health, *instance.spec->health, event.passed, event.note, now)) {
    case HealthChange::none:
      return;
    case HealthChange::first_pass:
      if (now - instance.phase_since >= instance.spec->min_uptime) apply(app, instance, Trigger::expired);
      return;
    case HealthChange::recovered:
      return keep(app, instance);
    case HealthChange::failed:
      return handle_failing(app, instance);
  }
}

void Supervisor::handle_failing(App& app, Instance& instance) {
  const std::string reason = failing_reason(instance.health, *instance.spec->health);
  // It never worked: a failed life, with the pauses of the restart policy before the next.
  if (!instance.settled) return condemn(app, instance, reason);
  set_reason(app, instance, reason);
  if (is_successor_of(app, instance)) {
    instance.blamed = true;  // the new version fails its rollout
  } else if (!app.rollout && is_wanted(app, instance)) {
    replace(app, instance.slot, reason);
  }
}

bool Supervisor::replace(App& app, int slot, const std::string& reason) {
  const auto index = static_cast<std::size_t>(slot);
  if (app.rollout || index >= app.wanted.slots.size()) return false;
  WantedSlot& wanted = app.wanted.slots[index];
  const auto present = std::ranges::find_if(app.instances, [&](const Instance& one) {
    return one.slot == slot && one.generation == wanted.generation && one.goal == Goal::up &&
           one.phase == Phase::online;
  });
  if (wanted.goal == Goal::down || present == app.instances.end()) return false;
  wanted.generation = next_generation(app, present->spec);
  app.wanted.replacement =
      present->spec->exec_mode == ExecMode::cluster ? Replacement::overlap : Replacement::stop_first;
  app.wanted.surge_max = surge_of(*present->spec, app.wanted.slots.size());
  set_reason(app, *present, reason);
  present->replaced = true;
  touch(app);
  tell([&](SupervisorListener& listener) { listener.instance_replaced(app, *present); });
  return true;
}

// It works again before its successor does: the successor is not needed.
void Supervisor::keep(App& app, Instance& instance) {
  instance.ending_reason.clear();
  const auto slot = static_cast<std::size_t>(instance.slot);
  if (app.rollout || slot >= app.wanted.slots.size() || instance.goal == Goal::down) return;
  WantedSlot& wanted = app.wanted.slots[slot];
  const auto next = app.specs.find(wanted.generation);
  if (next == app.specs.end() || next->second != instance.spec) return;
  wanted.generation = instance.generation;
  touch(app);
}

}  // namespace clusterd
