#include "daemon/core/verdict.h"

namespace clusterd {

std::vector<SlotVerdict> judge_slots(const Wanted& wanted, std::span<const Seen> seen) {
  std::vector<SlotVerdict> verdicts(wanted.slots.size());
  for (std::size_t slot = 0; slot < verdicts.size(); ++slot) {
    if (wanted.slots[slot].goal == Goal::down) verdicts[slot].state = SlotState::down;
  }
  for (const Seen& one : seen) {
    const auto slot = static_cast<std::size_t>(one.slot);
    if (slot >= verdicts.size() || wanted.slots[slot].goal == Goal::down) continue;
    if (one.generation != wanted.slots[slot].generation || one.goal == Goal::down) continue;
    if (one.phase == Phase::online) verdicts[slot] = {SlotState::up, one.key};
    if (one.phase == Phase::stopped) verdicts[slot] = {SlotState::finished, one.key};
    const bool failed = one.phase == Phase::errored || (one.blamed && one.phase != Phase::online);
    if (failed) verdicts[slot] = {SlotState::failed, one.key};
  }
  return verdicts;
}

}  // namespace clusterd
