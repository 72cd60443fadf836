// The orders of the Supervisor: each changes what is wanted and leaves the rest to the planner.
#include <algorithm>
#include <numeric>

#include "daemon/supervisor.h"

namespace clusterd {
namespace {

std::vector<int> chosen(const App& app, std::span<const int> slots) {
  std::vector<int> result(slots.begin(), slots.end());
  if (result.empty()) {
    result.resize(app.wanted.slots.size());
    std::iota(result.begin(), result.end(), 0);
  }
  std::erase_if(result, [&](int slot) { return static_cast<std::size_t>(slot) >= app.wanted.slots.size(); });
  return result;
}

bool includes(const std::vector<int>& slots, int slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

}  // namespace

App& Supervisor::add(const AppSpec& spec, int count, Goal goal) {
  App& app = apps_[AppKey{spec.name_space, spec.name}];
  app.key = {spec.name_space, spec.name};
  app.current = next_generation(app, std::make_shared<const AppSpec>(spec));
  resize(app, count);
  for (WantedSlot& slot : app.wanted.slots) slot.goal = goal;
  touch(app);
  return app;
}

Generation Supervisor::next_generation(App& app, std::shared_ptr<const AppSpec> spec) {
  app.specs[++app.latest] = std::move(spec);
  return app.latest;
}

void Supervisor::resize(App& app, int count) {
  const std::size_t size = static_cast<std::size_t>(count);
  app.wanted.slots.resize(size, WantedSlot{app.rollout ? app.rollout->target : app.current, Goal::up});

  while (app.slots.size() < size) {
    SlotRecord& slot = app.slots.emplace_back();
    slot.id = next_id_++;
    slot.created_at_wall_ms = host_.now().wall_ms;
  }
}

void Supervisor::start(App& app, std::span<const int> slots) {
  app.waits_for.clear();
  for (const int slot : chosen(app, slots)) start_slot(app, slot);
  // Where something serves (a way back may be under way), nothing is taken down for a start.
  const bool serves =
      std::ranges::any_of(app.instances, [](const Instance& one) { return one.goal == Goal::up; });
  if (!app.rollout && !serves) {
    app.wanted.replacement = Replacement::stop_first;
    app.wanted.surge_max = static_cast<int>(app.wanted.slots.size());
  }
  touch(app);
}

void Supervisor::hold(App& app, const std::string& waits_for) {
  const bool known = !app.waits_for.empty();
  app.waits_for = waits_for;
  if (known) return;
  for (WantedSlot& slot : app.wanted.slots) slot.goal = Goal::down;
  touch(app);
}

void Supervisor::start_slot(App& app, int slot) {
  WantedSlot& wanted = app.wanted.slots[static_cast<std::size_t>(slot)];
  wanted.goal = Goal::up;
  bool lives = false;
  for (Instance& instance : app.instances) {
    if (instance.slot != slot || instance.goal == Goal::down) continue;
    if (has_ended(instance.phase)) {
      instance.goal = Goal::down;  // it makes room for a new one
      continue;
    }
    lives = true;
    if (instance.generation != wanted.generation || instance.settled) continue;
    instance.blamed = false;  // a new chance: the past is not held against it
    if (instance.phase != Phase::backing_off) continue;
    instance.attempts = 0;
    apply(app, instance, Trigger::start);
  }
  if (!lives && !app.rollout) wanted.generation = app.current;
}

void Supervisor::stop(App& app, std::span<const int> slots, Hurry hurry) {
  app.waits_for.clear();
  app.renewal.clear();
  if (slots.empty()) abort_canary(app);
  const std::vector<int> targets = chosen(app, slots);
  for (const int slot : targets) {
    app.wanted.slots[static_cast<std::size_t>(slot)].goal = Goal::down;
    app.slots[static_cast<std::size_t>(slot)].rests = true;
  }
  if (!is_wanted_up(app)) abandon_rollout(app, "the app was stopped");
  for (Instance& instance : app.instances) {
    // Those of a scale-down or a rollout that are still leaving are meant, too.
    const bool surplus = static_cast<std::size_t>(instance.slot) >= app.wanted.slots.size();
    if (!includes(targets, instance.slot) && !(surplus && slots.empty())) continue;
    instance.goal = Goal::down;
    // It drained for a successor that will not come now: clients must not wait for one either.
    if (instance.phase == Phase::draining && !is_wanted_up(app)) host_.steer_away(instance.key, false);
    apply(app, instance, hurry == Hurry::at_once ? Trigger::kill : way_down(instance));
  }
  touch(app);
}

void Supervisor::restart(App& app, std::span<const int> slots, const std::string& renewal) {
  abort_canary(app);
  app.waits_for.clear();
  abandon_rollout(app, "the app was restarted");
  const std::vector<int> targets = chosen(app, slots);
  app.current = next_generation(app, app.specs.at(app.current));
  for (const int slot : targets) app.wanted.slots[static_cast<std::size_t>(slot)] = {app.current, Goal::up};
  app.wanted.replacement = Replacement::stop_first;
  app.wanted.surge_max = static_cast<int>(app.wanted.slots.size());
  set_renewal(app, renewal);
  touch(app);
}

// Where nothing lives, nothing will end with this reason.
void Supervisor::set_renewal(App& app, const std::string& renewal) {
  app.renewal = renewal;
  if (renewal.empty()) return;
  for (SlotRecord& slot : app.slots) slot.reason = renewal;
}

void Supervisor::scale(App& app, int count) {
  abort_canary(app);
  resize(app, count);
  if (app.rollout) {
    app.rollout->count = count;
    app.rollout->before.resize(static_cast<std::size_t>(count), app.current);
  }
  touch(app);
}

void Supervisor::remove(App& app, Hurry hurry) {
  app.deleted = true;
  stop(app, {}, hurry);
}

void Supervisor::update_spec(App& app, const AppSpec& spec) {
  app.current = next_generation(app, std::make_shared<const AppSpec>(spec));
  touch(app);
}

void Supervisor::replace_spec(App& app, const AppSpec& spec) {
  update_spec(app, spec);
  app.has_listened = false;
}

void Supervisor::amend_spec(App& app, const AppSpec& spec) {
  app.specs[app.current] = std::make_shared<const AppSpec>(spec);
}

Generation Supervisor::roll_out(App& app, const AppSpec& spec, int count, const std::string& renewal) {
  abort_canary(app);
  abandon_rollout(app, "a newer reload took its place");
  const Generation target = next_generation(app, std::make_shared<const AppSpec>(spec));
  Rollout rollout;
  rollout.target = target;
  rollout.count = count;
  for (const WantedSlot& slot : app.wanted.slots) rollout.before.push_back(slot.generation);
  app.rollout = std::move(rollout);
  app.wanted.replacement =
      spec.exec_mode == ExecMode::cluster ? Replacement::overlap : Replacement::stop_first;
  // Fewer instances come with the commit: until then the old version may have to carry on with all of its
  // own.
  if (static_cast<std::size_t>(count) > app.wanted.slots.size()) resize(app, count);
  for (WantedSlot& slot : app.wanted.slots) slot.generation = target;
  app.wanted.surge_max = surge_of(spec, app.wanted.slots.size());
  set_renewal(app, renewal);
  touch(app);
  return target;
}

int Supervisor::begin_canary(App& app, const AppSpec& spec, int permille) {
  abandon_rollout(app, "a canary took its place");
  abort_canary(app);
  const Generation target = next_generation(app, std::make_shared<const AppSpec>(spec));
  const int slot = static_cast<int>(app.wanted.slots.size());
  app.canary = Canary{target, permille};
  resize(app, slot + 1);
  app.wanted.slots.back() = {target, Goal::up};
  touch(app);
  return slot;
}

Generation Supervisor::promote_canary(App& app) {
  const Canary canary = *app.canary;
  Rollout rollout;
  rollout.target = canary.target;
  rollout.count = static_cast<int>(app.size());
  for (const WantedSlot& slot : app.wanted.slots) rollout.before.push_back(slot.generation);
  rollout.before.pop_back();
  app.canary.reset();
  app.rollout = std::move(rollout);
  app.wanted.replacement = Replacement::overlap;
  for (WantedSlot& slot : app.wanted.slots) slot.generation = canary.target;
  app.wanted.surge_max = surge_of(*app.specs.at(canary.target), app.wanted.slots.size());
  for (Instance& instance : app.instances) host_.set_share(instance.key, 0);
  touch(app);
  return canary.target;
}

void Supervisor::abort_canary(App& app) {
  if (!app.canary) return;
  app.canary.reset();
  resize(app, static_cast<int>(app.wanted.slots.size()) - 1);
  touch(app);
}

void Supervisor::abandon_rollout(App& app, const std::string& why) {
  if (!app.rollout) return;
  go_back(app);
  end_rollout(app, fail(ErrorCode::failed, "the reload was given up: " + why));
}

void Supervisor::reset_counters(App& app, std::span<const int> slots) {
  for (const int slot : chosen(app, slots)) app.slots[static_cast<std::size_t>(slot)].restarts = 0;
  for (Instance& instance : app.instances) {
    if (includes(chosen(app, slots), instance.slot)) instance.attempts = 0;
  }
  touch(app);
}

}  // namespace clusterd
