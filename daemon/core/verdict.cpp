#include "daemon/core/verdict.h"

namespace clusterd {

SlotVerdict judge_slot(int slot, const Wanted& wanted, std::span<const Seen> seen) {
  if (static_cast<std::size_t>(slot) >= wanted.slots.size()) return {SlotState::down, {}};
  const WantedSlot& wish = wanted.slots[static_cast<std::size_t>(slot)];
  if (wish.goal == Goal::down) return {SlotState::down, {}};
  for (const Seen& one : seen) {
    if (one.slot != slot || one.generation != wish.generation || one.goal == Goal::down) continue;
    if (one.phase == Phase::online) return {SlotState::up, one.key};
    if (one.phase == Phase::stopped) return {SlotState::finished, one.key};
    if (one.phase == Phase::errored || one.blamed) return {SlotState::failed, one.key};
  }
  return {};
}

}  // namespace clusterd
