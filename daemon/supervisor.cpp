#include "daemon/supervisor.h"

#include <algorithm>
#include <cstdlib>

#include "common/units.h"
#include "daemon/core/restart_policy.h"
#include "daemon/core/seconds_text.h"

namespace clusterd {
namespace {

constexpr Milliseconds kKillRetry{5'000};

// The drain has taken too long: what is still open will be cut, and that is said.
void note_cut(Instance& instance, std::int64_t open) {
  instance.cut = open;
  if (open == 0) return;
  instance.reason = "drain_timeout (" + seconds_text(instance.spec->drain_timeout) + ") is over with " +
                    std::to_string(open) + (open == 1 ? " connection" : " connections") + " open";
}

Milliseconds hook_time(const AppSpec& spec, const std::vector<std::string>& command) {
  return command.empty() ? Milliseconds{0} : spec.hook_timeout;
}

}  // namespace

Supervisor::Supervisor(InstanceHost& host) : host_(host), bug_([](const std::string&) { std::abort(); }) {}

App* Supervisor::find(const AppKey& key) {
  const auto found = apps_.find(key);
  return found == apps_.end() ? nullptr : &found->second;
}

Supervisor::Found Supervisor::find_instance(InstanceKey key) {
  const auto owner = owner_.find(key);
  if (owner == owner_.end()) return {};
  App* app = find(owner->second);
  if (app == nullptr) return {};
  const auto instance = std::ranges::find(app->instances, key, &Instance::key);
  if (instance == app->instances.end()) return {};
  return {app, &*instance};
}

void Supervisor::pump() {
  if (pumping_) return;
  struct Pumping {
    bool& flag;
    explicit Pumping(bool& pumping) : flag(pumping) { flag = true; }
    ~Pumping() { flag = false; }  // also when an event throws
  } pumping(pumping_);
  while (!events_.empty() || !touched_.empty()) {
    while (!events_.empty()) {
      const InstanceEvent event = std::move(events_.front());
      events_.pop_front();
      handle(event);
    }
    const std::set<AppKey> touched = std::exchange(touched_, {});
    for (const AppKey& key : touched) {
      if (App* app = find(key)) settle_app(*app);
    }
  }
}

void Supervisor::handle(const InstanceEvent& event) {
  const Found found = find_instance(event.key);
  if (found.instance == nullptr) return;
  App& app = *found.app;
  Instance& instance = *found.instance;
  const bool current = event.kind == InstanceEvent::Kind::expired
                           ? event.life == instance.timer
                           : event.life == instance.life && has_process(instance.phase);
  if (!current) return;
  touch(app);
  switch (event.kind) {
    case InstanceEvent::Kind::started:
      handle_start(instance, event.pid);
      break;
    case InstanceEvent::Kind::executed:
      handle_execution(app, instance);
      break;
    case InstanceEvent::Kind::binding:
      instance.binds = true;
      break;
    case InstanceEvent::Kind::listening:
    case InstanceEvent::Kind::notified_ready:
      handle_readiness(app, instance, event.kind);
      break;
    case InstanceEvent::Kind::notified:
      handle_notice(app, instance, event.notice);
      break;
    case InstanceEvent::Kind::probed:
      handle_probe(app, instance, event);
      break;
    case InstanceEvent::Kind::checked:
      handle_check(app, instance, event);
      break;
    case InstanceEvent::Kind::watchdog_missed:
      condemn(app, instance, event.note);
      break;
    case InstanceEvent::Kind::drained:
      apply(app, instance, Trigger::drained);
      break;
    case InstanceEvent::Kind::exited:
      handle_exit(app, instance, event);
      break;
    case InstanceEvent::Kind::signalled:
      if (instance.phase == Phase::stopping) arm_kill(instance, Milliseconds{0});
      break;
    case InstanceEvent::Kind::expired:
      handle_expiry(app, instance);
      break;
  }
}

// It may have waited for its turn until now, or for a hook.
void Supervisor::handle_start(Instance& instance, pid_t pid) {
  instance.pid = pid;
  if (instance.phase != Phase::starting) return;
  instance.started_at = host_.now().monotonic;
  arm(instance, instance.spec->listen_timeout);
}

// Life is counted from here: the five hundredth of a burst has not failed because it was started last.
void Supervisor::handle_execution(App& app, Instance& instance) {
  const Instant now = host_.now();
  instance.executed = true;
  instance.started_at = now.monotonic;
  instance.started_at_wall_ms = now.wall_ms;
  if (instance.phase != Phase::starting) return;
  instance.phase_since = now.monotonic;
  arm(instance, ready_deadline(*instance.spec, ready_by(*instance.spec, ready_facts(app, instance))));
  host_.run_checks(instance.key, Checks::readiness);
}

void Supervisor::handle_readiness(App& app, Instance& instance, InstanceEvent::Kind kind) {
  const bool listening = kind == InstanceEvent::Kind::listening;
  if (listening) {
    app.has_listened = true;
    instance.listened = true;
  } else {
    instance.reloading = false;
  }
  const Sign sign = listening ? Sign::listening : Sign::notified;
  if (is_ready(*instance.spec, sign, ready_facts(app, instance))) apply(app, instance, Trigger::ready);
}

void Supervisor::handle_exit(App& app, Instance& instance, const InstanceEvent& event) {
  const Instance before = instance;
  SlotRecord* slot = static_cast<std::size_t>(instance.slot) < app.slots.size()
                         ? &app.slots[static_cast<std::size_t>(instance.slot)]
                         : nullptr;
  const EndOfLife end{
      instance.goal, event.failure.empty() || event.may_pass, instance.settled, instance.attempts,
      event.exit.signal == 0 && !instance.condemned ? std::optional(event.exit.code) : std::nullopt};
  const bool was_late = instance.phase == Phase::stopping || instance.phase == Phase::killing;
  if (!event.failure.empty()) {
    instance.reason = event.failure;
  } else if (instance.goal == Goal::down) {
    // Replaced because its check failed: that is what people ask about afterwards.
    const bool has_cause = instance.health.failing || instance.replaced;
    const bool renewed = is_wanted_up(app) && !app.renewal.empty();
    if (!has_cause || !is_wanted_up(app)) instance.reason = renewed ? app.renewal : "stopped";
  } else if (!was_late) {
    const Milliseconds lived = host_.now().monotonic - instance.started_at;
    instance.reason = event.exit.describe() + " after " + seconds_text(lived);
  }
  instance.leftover = event.leftover;
  if (!event.leftover.empty()) instance.reason = event.leftover;
  instance.pid.reset();
  if (slot != nullptr) {
    slot->last_exit = event.exit;
    slot->reason = instance.reason;
  }
  apply(app, instance, classify_exit(*instance.spec, end));
  tell([&](SupervisorListener& listener) { listener.life_ended(app, before, instance, event, host_.now()); });
}

void Supervisor::handle_expiry(App& app, Instance& instance) {
  if (instance.phase == Phase::draining) note_cut(instance, host_.open_connections(instance.key));
  const bool unproven = instance.spec->health && !instance.health.passed;
  if (instance.phase == Phase::online && unproven) return;  // the first passed check makes it stable
  if (instance.phase != Phase::starting) return apply(app, instance, Trigger::expired);
  const ReadyFacts facts = ready_facts(app, instance);
  const Milliseconds lived = host_.now().monotonic - instance.started_at;
  const ReadyBy by = ready_by(*instance.spec, facts);
  if (by != ReadyBy::evidence && instance.executed) {
    apply(app, instance, Trigger::ready);
    if (by == ReadyBy::delay || unproven) return;
    return apply(app, instance, Trigger::expired);  // it has been alive for min_uptime already: stable
  }
  // What counts as evidence may have been learned from another instance since the timer was set.
  if (lived < instance.spec->listen_timeout) return arm(instance, instance.spec->listen_timeout - lived);
  instance.reason = late_reason(*instance.spec, facts, lived);
  instance.ending_reason = instance.reason;
  apply(app, instance, Trigger::expired);
}

void Supervisor::apply(App& app, Instance& instance, Trigger trigger) {
  const Transition& transition = advance(instance.phase, trigger);
  if (transition.answer == Answer::ignore) return;
  if (transition.answer == Answer::bug) {
    return bug_(app.key.name + ": " + std::string(trigger_name(trigger)) + " while " +
                std::string(phase_name(instance.phase)));
  }
  touch(app);
  const Phase from = instance.phase;
  instance.phase = transition.next;
  perform(app, instance, transition.effects);
  const bool entered = from != instance.phase || transition.effects.launch || transition.effects.stuck;
  if (entered) {
    arm_for_phase(instance);
    host_.run_checks(instance.key, instance.phase == Phase::online ? Checks::health : Checks::none);
  }
  tell([&](SupervisorListener& listener) { listener.instance_moved(app, instance, from); });
}

void Supervisor::perform(App& app, Instance& instance, const Effects& effects) {
  if (effects.blame) instance.blamed = true;
  if (effects.attempt) ++instance.attempts;
  if (effects.settle) {
    instance.settled = true;
    instance.blamed = false;
    instance.attempts = 0;
  }
  if (effects.launch) launch(app, instance);
  if (effects.admit) {
    if (app.canary && instance.generation == app.canary->target)
      host_.set_share(instance.key, app.canary->permille);
    host_.admit(instance.key);
  }
  if (effects.steer_away) host_.steer_away(instance.key, is_wanted_up(app) && !app.deleted);
  if (effects.signal) host_.signal(instance.key);
  if (effects.kill) host_.kill(instance.key);
  if (effects.stuck) {
    instance.stuck = true;
    instance.reason = "does not end, not even by SIGKILL";
  }
}

void Supervisor::launch(App& app, Instance& instance) {
  const Instant now = host_.now();
  ++instance.life;
  instance.executed = false;
  instance.binds = false;
  instance.listened = false;
  instance.condemned = false;
  instance.reloading = false;
  instance.status_text.clear();
  instance.main_pid.reset();
  instance.probe_note.clear();
  instance.health = {};
  instance.settled = false;
  instance.ending_reason.clear();
  instance.stuck = false;
  instance.pid.reset();
  instance.next_start_at.reset();
  instance.started_at = now.monotonic;
  instance.started_at_wall_ms = now.wall_ms;
  SlotRecord& slot = app.slots[static_cast<std::size_t>(instance.slot)];
  if (slot.launches++ > 0 && !slot.rests) ++slot.restarts;
  slot.rests = false;
  host_.launch({app.key, instance.key, instance.life, slot.id, instance.slot, instance.generation,
                slot.restarts, instance.spec});
}

void Supervisor::arm_for_phase(Instance& instance) {
  const AppSpec& spec = *instance.spec;
  ++instance.timer;  // whatever was armed belongs to the phase that was left
  instance.phase_since = host_.now().monotonic;
  switch (instance.phase) {
    case Phase::starting:
      return;  // its time begins when its turn to be started has come: handle_start()
    case Phase::online:
      return arm(instance, spec.min_uptime);
    case Phase::draining:
      return arm(instance, spec.drain_timeout);
    case Phase::stopping:
      return arm_kill(instance, hook_time(spec, spec.pre_stop));
    case Phase::killing:
      return arm(instance, kKillRetry);
    case Phase::backing_off: {
      const double jitter = std::uniform_real_distribution<double>(-1.0, 1.0)(random_);
      const Milliseconds delay = restart_delay(spec, instance.attempts, jitter);
      instance.next_start_at = host_.now().monotonic + delay;
      return arm(instance, delay);
    }
    case Phase::stopped:
    case Phase::errored:
      return;
  }
}

// A pre_stop hook has its own time; when it is over, the stop signal comes and the time is counted anew.
void Supervisor::arm_kill(Instance& instance, Milliseconds hook_time) {
  const Milliseconds limit = instance.spec->kill_timeout;
  if (limit != kNoTimeLimit) arm(instance, limit + hook_time);
}

void Supervisor::arm(Instance& instance, Milliseconds delay) {
  instance.deadline = host_.now().monotonic + delay;
  host_.arm(instance.key, ++instance.timer, delay);
}

void Supervisor::settle_app(App& app) {
  if (app.rollout) judge(app);
  const std::vector<Seen> seen = seen_of(app);
  for (const Action& action : reconcile(app.wanted, seen)) act(app, action);
  if (app.rollout) judge(app);
  prune(app);
  if (app.deleted && app.instances.empty()) {
    const AppKey key = app.key;
    apps_.erase(key);
    touched_.erase(key);
    if (apps_.empty()) next_id_ = 0;
    tell([&](SupervisorListener& listener) { listener.app_removed(key); });
    return;
  }
  tell([&](SupervisorListener& listener) { listener.app_changed(app); });
}

void Supervisor::act(App& app, const Action& action) {
  if (action.kind == Action::Kind::create) return create(app, action);
  const auto instance = std::ranges::find(app.instances, action.key, &Instance::key);
  if (action.kind == Action::Kind::discard) {
    host_.release(instance->key);
    owner_.erase(instance->key);
    app.instances.erase(instance);
    touch(app);
    return;
  }
  instance->goal = Goal::down;
  apply(app, *instance, action.kind == Action::Kind::retire ? Trigger::retire : way_down(*instance));
}

// Nobody is cut where that can be avoided.
Trigger Supervisor::way_down(const Instance& instance) const {
  return host_.drains(instance.key) ? Trigger::retire : Trigger::stop;
}

void Supervisor::create(App& app, const Action& action) {
  Instance& instance = app.instances.emplace_back();
  instance.key = next_key_++;
  instance.slot = action.slot;
  instance.generation = action.generation;
  instance.spec = app.specs.at(action.generation);
  owner_.emplace(instance.key, app.key);
  apply(app, instance, Trigger::start);
}

void Supervisor::judge(App& app) {
  const Rollout& rollout = *app.rollout;
  const RolloutJudgement judgement = judge_rollout(rollout, app.wanted, seen_of(app));
  if (judgement.verdict == RolloutJudgement::Verdict::running) return;
  if (judgement.verdict == RolloutJudgement::Verdict::committed) {
    app.current = rollout.target;
    const int count = rollout.count;
    end_rollout(app, {});
    return resize(app, count);
  }
  const auto culprit = std::ranges::find(app.instances, *judgement.culprit, &Instance::key);
  std::string message = app.key.name + "." + std::to_string(culprit->slot) + ": " + culprit->reason;
  go_back(app);
  end_rollout(app, fail(ErrorCode::failed, message));
}

void Supervisor::go_back(App& app) {
  resize(app, static_cast<int>(app.rollout->before.size()));
  for (std::size_t slot = 0; slot < app.wanted.slots.size(); ++slot) {
    app.wanted.slots[slot].generation = app.rollout->before[slot];
  }
}

void Supervisor::end_rollout(App& app, const Result<>& outcome) {
  const Generation target = app.rollout->target;
  app.rollout.reset();
  touch(app);
  tell([&](SupervisorListener& listener) { listener.rollout_ended(app, target, outcome); });
}

void Supervisor::prune(App& app) {
  std::set<Generation> used{app.current};
  for (const WantedSlot& slot : app.wanted.slots) used.insert(slot.generation);
  for (const Instance& instance : app.instances) used.insert(instance.generation);
  if (app.canary) used.insert(app.canary->target);
  if (app.rollout) {
    used.insert(app.rollout->target);
    used.insert(app.rollout->before.begin(), app.rollout->before.end());
  }
  std::erase_if(app.specs, [&](const auto& entry) { return !used.contains(entry.first); });
  std::size_t slots = app.wanted.slots.size();
  for (const Instance& instance : app.instances)
    slots = std::max(slots, static_cast<std::size_t>(instance.slot) + 1);
  if (app.slots.size() > slots) app.slots.resize(slots);
}

}  // namespace clusterd
