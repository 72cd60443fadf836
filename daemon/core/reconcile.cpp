#include "daemon/core/reconcile.h"

#include <algorithm>

namespace clusterd {
namespace {

// What one slot looks like; filled in one pass over the instances.
struct SlotFacts {
  bool fresh =
      false;  // an instance of the wanted generation that is meant to be there, or has ended by policy
  bool fresh_proven = false;  // it serves, and has for min_uptime; or it ended by policy
  const Seen* keeper =
      nullptr;  // the best of the stale ones that have not been told to go: it serves until replaced
  int processes = 0;

  bool stale_up() const { return keeper != nullptr; }
};

class Planner {
 public:
  Planner(const Wanted& wanted, std::span<const Seen> seen) : wanted_(wanted), seen_(seen) {
    facts_.resize(wanted.slots.size());
    for (const Seen& one : seen) note(one);
    for (const SlotFacts& slot : facts_) {
      if (slot.stale_up() && slot.fresh && !slot.fresh_proven) ++under_way_;
      if (!slot.stale_up() && !slot.fresh && slot.processes > 0)
        ++under_way_;  // stopping first, not yet replaced
    }
  }

  std::vector<Action> plan() {
    for (const Seen& one : seen_) plan_instance(one);
    for (std::size_t slot = 0; slot < facts_.size(); ++slot) plan_slot(static_cast<int>(slot));
    return std::move(actions_);
  }

 private:
  bool surplus(const Seen& one) const { return static_cast<std::size_t>(one.slot) >= facts_.size(); }
  const WantedSlot& wanted_of(const Seen& one) const {
    return wanted_.slots[static_cast<std::size_t>(one.slot)];
  }
  bool fresh(const Seen& one) const { return !surplus(one) && one.generation == wanted_of(one).generation; }
  bool wanted_down(const Seen& one) const { return !surplus(one) && wanted_of(one).goal == Goal::down; }
  bool serves(const Seen& one) const { return one.phase == Phase::online; }
  // Of two that are to be replaced, the one that has proven itself stays meanwhile.
  bool better(const Seen& a, const Seen& b) const {
    if (serves(a) != serves(b)) return serves(a);
    return a.settled && !b.settled;
  }

  void note(const Seen& one) {
    if (surplus(one)) return;
    SlotFacts& slot = facts_[static_cast<std::size_t>(one.slot)];
    if (has_process(one.phase)) ++slot.processes;
    if (one.goal == Goal::down && !has_ended(one.phase)) return;
    if (!fresh(one)) {
      if (!has_ended(one.phase) && (slot.keeper == nullptr || better(one, *slot.keeper))) slot.keeper = &one;
    } else if (!(has_ended(one.phase) && one.goal == Goal::down)) {
      slot.fresh = true;
      slot.fresh_proven |= (serves(one) && one.settled) || one.phase == Phase::stopped;
    }
  }

  void act(Action::Kind kind, const Seen& one) {
    actions_.push_back({kind, one.key, one.slot, one.generation});
  }

  void plan_instance(const Seen& one) {
    if (has_ended(one.phase)) {
      const bool holds_its_slot = fresh(one) && one.goal == Goal::up && !wanted_down(one);
      if (!holds_its_slot) act(Action::Kind::discard, one);
      return;
    }
    if (one.goal == Goal::down) return;
    if (wanted_down(one)) return act(Action::Kind::stop, one);
    if (surplus(one)) return act(Action::Kind::retire, one);
    if (fresh(one)) return;
    plan_stale(one);
  }

  void plan_stale(const Seen& one) {
    SlotFacts& slot = facts_[static_cast<std::size_t>(one.slot)];
    if (slot.fresh_proven || slot.keeper != &one) return act(Action::Kind::retire, one);
    if (wanted_.replacement == Replacement::overlap) {
      // One that does not serve keeps nobody waiting by going at once, but only where its successor can come.
      if (!serves(one) && slot.fresh) act(Action::Kind::retire, one);
      return;
    }
    if (slot.fresh || under_way_ >= wanted_.surge_max) return;
    ++under_way_;
    act(Action::Kind::stop, one);
  }

  void plan_slot(int index) {
    const SlotFacts& slot = facts_[static_cast<std::size_t>(index)];
    const WantedSlot& wanted = wanted_.slots[static_cast<std::size_t>(index)];
    if (slot.fresh || wanted.goal == Goal::down) return;
    if (wanted_.replacement == Replacement::stop_first && (slot.stale_up() || slot.processes > 0)) return;
    if (slot.stale_up() && under_way_ >= wanted_.surge_max) return;
    if (slot.processes >= kProcessesPerSlotMax) return;
    if (slot.stale_up()) ++under_way_;
    actions_.push_back({Action::Kind::create, 0, index, wanted.generation});
  }

  const Wanted& wanted_;
  std::span<const Seen> seen_;
  std::vector<SlotFacts> facts_;
  int under_way_ = 0;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<Action> reconcile(const Wanted& wanted, std::span<const Seen> seen) {
  return Planner(wanted, seen).plan();
}

}  // namespace clusterd
