// Seeded worlds for the planner: whatever the operator and the processes do, it never takes away what serves
// before its successor does, never piles up processes, always comes to rest, and ends at what is wanted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "daemon/core/reconcile.h"

namespace clusterd {
namespace {

class World {
 public:
  explicit World(unsigned seed) : random_(seed) { wanted_.slots.assign(1 + pick(4), {1, Goal::up}); }

  void step() {
    switch (pick(8)) {
      case 0:
        change_wanted();
        break;
      default:
        move_one();
        break;
    }
    settle();
  }

  // Every process does what it should.
  void calm_down() {
    for (int round = 0; round < 200; ++round) {
      for (std::size_t i = 0; i < seen_.size(); ++i) obey(seen_[i]);
      settle();
    }
  }

  void check_rest() const {
    for (std::size_t slot = 0; slot < wanted_.slots.size(); ++slot) {
      const auto in_slot =
          std::ranges::count_if(seen_, [&](const Seen& one) { return one.slot == static_cast<int>(slot); });
      const auto fresh = std::ranges::count_if(seen_, [&](const Seen& one) {
        return one.slot == static_cast<int>(slot) && one.generation == wanted_.slots[slot].generation &&
               (one.phase == Phase::online || has_ended(one.phase));
      });
      // A successor that gave up takes nobody's place: the old one serves on (and a rollout would go back to
      // it).
      const bool successor_failed = std::ranges::any_of(seen_, [&](const Seen& one) {
        return one.slot == static_cast<int>(slot) && one.phase == Phase::errored;
      });
      std::string here;
      for (const Seen& one : seen_) {
        if (one.slot == static_cast<int>(slot)) {
          here += std::to_string(one.generation) + " " + std::string(phase_name(one.phase)) +
                  (one.goal == Goal::up ? " up; " : " down; ");
        }
      }
      INFO("slot " << slot << " wants " << wanted_.slots[slot].generation << ": " << here);
      REQUIRE((in_slot == fresh || (successor_failed && in_slot > fresh)));
      REQUIRE(fresh == (wanted_.slots[slot].goal == Goal::up ? 1 : 0));
    }
    REQUIRE(std::ranges::none_of(seen_, [&](const Seen& one) { return surplus(one); }));
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  void change_wanted() {
    const Generation generation = ++latest_;
    switch (pick(6)) {
      case 0:
        wanted_.slots.resize(1 + pick(5), {wanted_.slots.front().generation, Goal::up});
        break;
      case 1:
        wanted_.slots[pick(static_cast<unsigned>(wanted_.slots.size()))].goal =
            pick(2) ? Goal::up : Goal::down;
        break;
      case 2:
        for (WantedSlot& slot : wanted_.slots) slot.goal = Goal::down;
        break;
      case 3:
        for (WantedSlot& slot : wanted_.slots) slot = {generation, Goal::up};
        break;
      default:
        for (WantedSlot& slot : wanted_.slots) slot.generation = pick(4) ? generation : 1;
        break;
    }
    wanted_.surge_max = 1 + static_cast<int>(pick(3));
    wanted_.replacement = pick(3) ? Replacement::overlap : Replacement::stop_first;
  }

  void apply(Seen& one, Trigger trigger) {
    const Transition& transition = advance(one.phase, trigger);
    if (transition.answer != Answer::move) return;
    if (transition.effects.settle) one.settled = true;
    if (transition.effects.launch) one.settled = false;
    one.phase = transition.next;
  }

  // Something a process or its timer can do.
  void move_one() {
    if (seen_.empty()) return;
    Seen& one = seen_[pick(static_cast<unsigned>(seen_.size()))];
    if (has_ended(one.phase)) return;
    const bool up = one.goal == Goal::up;
    switch (pick(6)) {
      case 0:
      case 1:
        if (one.phase == Phase::starting) apply(one, Trigger::ready);
        break;
      case 2:
        apply(one, Trigger::expired);
        break;
      case 3:
        if (!has_process(one.phase)) break;
        if (!up) {
          apply(one, Trigger::ended);
        } else if (one.phase == Phase::online && one.settled) {
          apply(one, Trigger::crashed_stable);
        } else {
          apply(one, pick(8) ? Trigger::crashed_unstable : Trigger::gave_up);
        }
        break;
      case 4:
        if (one.phase == Phase::starting && pick(8) == 0) apply(one, Trigger::launch_failed);
        break;
      default:
        obey(one);
        break;
    }
  }

  void obey(Seen& one) {
    if (one.goal == Goal::down && has_process(one.phase)) return apply(one, Trigger::ended);
    if (one.phase == Phase::stopping || one.phase == Phase::killing)
      return apply(one, Trigger::crashed_unstable);
    if (one.phase == Phase::starting) return apply(one, Trigger::ready);
    if (one.phase == Phase::online || one.phase == Phase::backing_off) apply(one, Trigger::expired);
  }

  bool surplus(const Seen& one) const { return static_cast<std::size_t>(one.slot) >= wanted_.slots.size(); }

  bool served_by_another(const Seen& leaving) const {
    return std::ranges::any_of(seen_, [&](const Seen& one) {
      return one.slot == leaving.slot && one.key != leaving.key && one.goal == Goal::up &&
             (one.settled || !leaving.settled) && one.phase == Phase::online;
    });
  }

  void check_leaving(const Seen& one) const {
    if (surplus(one) || wanted_.slots[static_cast<std::size_t>(one.slot)].goal == Goal::down) return;
    if (wanted_.replacement != Replacement::overlap || one.phase != Phase::online) return;
    const bool successor_is_done = std::ranges::any_of(seen_, [&](const Seen& other) {
      return other.slot == one.slot && other.phase == Phase::stopped && other.goal == Goal::up;
    });
    REQUIRE((served_by_another(one) || successor_is_done));
  }

  void settle() {
    constexpr int kRoundsMax = 20;
    for (int round = 0; round < kRoundsMax; ++round) {
      const std::vector<Action> actions = reconcile(wanted_, seen_);
      if (actions.empty()) return check_bounds();
      for (const Action& action : actions) perform(action);
    }
    FAIL("the planner does not come to rest");
  }

  void perform(const Action& action) {
    if (action.kind == Action::Kind::create) {
      seen_.push_back(
          {++latest_key_, action.slot, action.generation, Phase::stopped, Goal::up, false, false});
      return apply(seen_.back(), Trigger::start);
    }
    const auto one = std::ranges::find(seen_, action.key, &Seen::key);
    REQUIRE(one != seen_.end());
    if (action.kind == Action::Kind::discard) {
      REQUIRE(has_ended(one->phase));
      seen_.erase(one);
      return;
    }
    check_leaving(*one);
    one->goal = Goal::down;
    apply(*one, action.kind == Action::Kind::retire ? Trigger::retire : Trigger::stop);
  }

  void check_bounds() const {
    for (const Seen& one : seen_) {
      const auto processes = std::ranges::count_if(
          seen_, [&](const Seen& other) { return other.slot == one.slot && has_process(other.phase); });
      REQUIRE(processes <= kProcessesPerSlotMax);
    }
  }

  std::minstd_rand random_;
  Wanted wanted_;
  std::vector<Seen> seen_;
  Generation latest_ = 1;
  InstanceKey latest_key_ = 0;
};

}  // namespace

TEST_CASE("the planner keeps its promises in every world") {
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    INFO("seed " << seed);
    World world(seed);
    for (int step = 0; step < 120; ++step) world.step();
    world.calm_down();
    world.check_rest();
  }
}

}  // namespace clusterd
