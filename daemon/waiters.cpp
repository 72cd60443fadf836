#include "daemon/waiters.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <numeric>

#include "daemon/core/verdict.h"

namespace clusterd {
namespace {

const Instance* find(const App& app, InstanceKey key) {
  const auto found = std::ranges::find(app.instances, key, &Instance::key);
  return found == app.instances.end() ? nullptr : &*found;
}

std::string label(const App& app, const Instance& instance) {
  return app.key.name + "." + std::to_string(instance.slot);
}

SlotVerdict verdict_of(const std::vector<SlotVerdict>& verdicts, int slot) {
  const auto index = static_cast<std::size_t>(slot);
  return index < verdicts.size() ? verdicts[index] : SlotVerdict{SlotState::down, {}};
}

Outcome stuck_outcome(const App& app, const Instance& instance) {
  const std::string pid = instance.pid ? " (pid " + std::to_string(*instance.pid) + ")" : "";
  return {Error{ErrorCode::failed, label(app, instance) + pid + ": " + instance.reason}, {}};
}

// A process that not even SIGKILL ends keeps its successor out: nobody shall wait for it for ever.
std::optional<Outcome> stuck_predecessor(const App& app, const std::vector<int>& slots) {
  for (const Instance& instance : app.instances) {
    if (!instance.stuck || has_ended(instance.phase)) continue;
    if (std::ranges::find(slots, instance.slot) != slots.end()) return stuck_outcome(app, instance);
  }
  return std::nullopt;
}

}  // namespace

Waiters::Waiters(boost::asio::io_context& io, ProcessHost& host) : io_(io), host_(host) {}

void Waiters::until_up(const App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress) {
  if (slots.empty()) {
    slots.resize(app.wanted.slots.size());
    std::iota(slots.begin(), slots.end(), 0);
  }
  waiters_[app.key].push_back({Waiter::Kind::up, std::move(slots), 0, std::move(done), std::move(progress)});
}

void Waiters::until_gone(const App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress) {
  Waiter& waiter =
      waiters_[app.key].emplace_back(Waiter{Waiter::Kind::gone, {}, 0, std::move(done), std::move(progress)});
  for (const Instance& instance : app.instances) {
    const bool meant = slots.empty() || std::ranges::find(slots, instance.slot) != slots.end();
    if (meant) await_end(waiter, instance);
  }
}

void Waiters::await_end(Waiter& waiter, const Instance& instance) {
  if (has_ended(instance.phase)) return;
  waiter.living.insert(instance.key);
  ++waiter.meant;
}

void Waiters::until_rolled_out(const App& app, Generation target, DoneHandler done,
                               ProgressHandler progress) {
  waiters_[app.key].push_back({Waiter::Kind::rolled_out, {}, target, std::move(done), std::move(progress)});
}

void Waiters::finish(Waiter&& waiter, Outcome outcome) {
  boost::asio::post(io_, [done = std::move(waiter.done), outcome = std::move(outcome)] { done(outcome); });
}

void Waiters::app_changed(const App& app) {
  host_.tidy_listeners(app);  // before anybody is told that the app is down
  check(app);
}

void Waiters::check(const App& app) {
  const auto waiting = waiters_.find(app.key);
  if (waiting == waiters_.end()) return;
  std::erase_if(waiting->second, [&](Waiter& waiter) {
    std::optional<Outcome> outcome = judge(app, waiter);
    if (!outcome) return false;
    finish(std::move(waiter), std::move(*outcome));
    return true;
  });
  if (waiting->second.empty()) waiters_.erase(waiting);
}

std::optional<Outcome> Waiters::judge(const App& app, const Waiter& waiter) const {
  switch (waiter.kind) {
    case Waiter::Kind::up:
      return judge_up(app, waiter);
    case Waiter::Kind::gone:
      return judge_gone(waiter);
    case Waiter::Kind::rolled_out:
      return std::nullopt;  // rollout_ended() says so
  }
  return std::nullopt;
}

std::optional<Outcome> Waiters::judge_up(const App& app, const Waiter& waiter) const {
  const std::vector<SlotVerdict> verdicts = judge_slots(app.wanted, seen_of(app));
  std::vector<InstanceKey> culprits;
  int stopped = 0;
  if (auto stuck = stuck_predecessor(app, waiter.slots)) return stuck;
  for (const int slot : waiter.slots) {
    const SlotVerdict verdict = verdict_of(verdicts, slot);
    if (verdict.state == SlotState::pending) return std::nullopt;
    if (verdict.state == SlotState::down) ++stopped;
    const bool ended_badly =
        verdict.state == SlotState::finished && !finished_well(app, slot, *find(app, *verdict.culprit)->spec);
    if (verdict.state == SlotState::failed || ended_badly) culprits.push_back(*verdict.culprit);
  }
  if (!culprits.empty()) return failure(app, culprits, static_cast<int>(waiter.slots.size()));
  if (stopped > 0)
    return Outcome{Error{ErrorCode::failed, app.key.name + ": stopped by another command"}, {}};
  return Outcome{};
}

Outcome Waiters::failure(const App& app, const std::vector<InstanceKey>& culprits, int total) const {
  const Instance& first = *find(app, culprits.front());
  std::string message = label(app, first) + ": " + first.reason;
  if (culprits.size() > 1) {
    message +=
        " (and " + std::to_string(culprits.size() - 1) + " more of " + std::to_string(total) + " instances)";
  }
  return {Error{ErrorCode::failed, message}, host_.tail(first.key)};
}

std::optional<Outcome> Waiters::judge_gone(const Waiter& waiter) {
  if (waiter.living.empty()) return gone_outcome(waiter);
  return waiter.stuck;
}

void Waiters::app_removed(const AppKey& key) {
  host_.close_listeners(key);
  host_.programs().forget(key);
  auto node = waiters_.extract(key);
  if (node.empty()) return;
  for (Waiter& waiter : node.mapped()) {
    Outcome outcome;
    if (waiter.kind != Waiter::Kind::gone) {
      outcome.error = Error{ErrorCode::failed, key.name + ": deleted meanwhile"};
    } else {
      outcome = gone_outcome(waiter);
    }
    finish(std::move(waiter), std::move(outcome));
  }
}

void Waiters::rollout_ended(const App& app, Generation target, const Result<>& result) {
  Outcome outcome;
  if (!result) {
    outcome.error = result.error();
    for (const Instance& instance : app.instances) {
      if (instance.generation == target && instance.blamed && outcome.log_tail.empty()) {
        outcome.log_tail = host_.tail(instance.key);
      }
    }
    spdlog::warn("{}: reload failed: {}", app.key.name, result.error().message);
  } else {
    spdlog::info("{}: generation {} serves", app.key.name, target);
  }
  end_waiting(app, target, outcome);
  if (rollout_end_) boost::asio::post(io_, [handler = rollout_end_, key = app.key] { handler(key); });
}

// A stop that had to leave somebody behind has not succeeded.
Outcome Waiters::gone_outcome(const Waiter& waiter) {
  if (waiter.leftover.empty()) return {};
  return {Error{ErrorCode::failed, waiter.leftover}, {}};
}

void Waiters::note_end(const App& app, const Instance& instance) {
  const auto waiting = waiters_.find(app.key);
  if (waiting == waiters_.end() || (!has_ended(instance.phase) && !instance.stuck)) return;
  for (Waiter& waiter : waiting->second) {
    if (!waiter.living.contains(instance.key)) continue;
    if (instance.stuck && !has_ended(instance.phase)) {
      waiter.stuck = stuck_outcome(app, instance);
      continue;
    }
    waiter.living.erase(instance.key);
    if (!instance.leftover.empty()) waiter.leftover = label(app, instance) + ": " + instance.leftover;
  }
}

void Waiters::end_waiting(const App& app, Generation target, const Outcome& outcome) {
  const auto waiting = waiters_.find(app.key);
  if (waiting == waiters_.end()) return;
  std::erase_if(waiting->second, [&](Waiter& waiter) {
    if (waiter.kind != Waiter::Kind::rolled_out || waiter.target != target) return false;
    if (outcome.error) {
      finish(std::move(waiter), outcome);
      return true;
    }
    // What it replaced still has to go; nothing can roll back any more.
    waiter.kind = Waiter::Kind::gone;
    for (const Instance& instance : app.instances) {
      if (instance.generation != target) await_end(waiter, instance);
    }
    return false;
  });
}

std::pair<int, int> Waiters::count(const App& app, const Waiter& waiter) const {
  if (waiter.kind == Waiter::Kind::gone)
    return {waiter.meant - static_cast<int>(waiter.living.size()), waiter.meant};
  const std::vector<Seen> seen = seen_of(app);
  if (waiter.kind == Waiter::Kind::rolled_out) {
    if (!app.rollout) return {0, 0};
    return {judge_rollout(*app.rollout, app.wanted, seen).replaced,
            static_cast<int>(app.wanted.slots.size())};
  }
  const std::vector<SlotVerdict> verdicts = judge_slots(app.wanted, seen);
  const auto up = std::ranges::count_if(
      waiter.slots, [&](int slot) { return verdict_of(verdicts, slot).state != SlotState::pending; });
  return {static_cast<int>(up), static_cast<int>(waiter.slots.size())};
}

void Waiters::instance_replaced(const App& app, const Instance& instance) {
  spdlog::warn("{}: to be replaced: {}", label(app, instance), instance.reason);
}

void Waiters::instance_moved(const App& app, const Instance& instance, Phase from) {
  note_end(app, instance);
  if (instance.phase == from) return;
  const bool draining = instance.phase == Phase::draining;
  std::string text =
      label(app, instance) + (draining ? " draining" : " " + std::string(phase_status(instance.phase)));
  const bool condemned = instance.phase == Phase::stopping && instance.condemned;
  const bool failed = instance.phase == Phase::backing_off || instance.phase == Phase::errored || condemned;
  const bool cuts = instance.phase == Phase::stopping && instance.cut > 0;
  if ((failed || cuts) && !instance.reason.empty()) text += ": " + instance.reason;
  spdlog::info("{} generation={} pid={}", text, instance.generation, instance.pid.value_or(0));
  const auto waiting = waiters_.find(app.key);
  if (waiting == waiters_.end()) return;
  for (const Waiter& waiter : waiting->second) {
    if (!waiter.progress) continue;
    const auto [done, total] = count(app, waiter);
    waiter.progress({app.key, text, done, total});
  }
}

}  // namespace clusterd
