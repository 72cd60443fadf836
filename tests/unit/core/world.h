// Small builders of planner worlds for the tests of daemon/core.
// Used by the unit tests and the searches; says nothing about what is right.
#pragma once

#include <vector>

#include "daemon/core/reconcile.h"

namespace clusterd::test {

inline Wanted wanted(std::initializer_list<Generation> slots, Replacement replacement = Replacement::overlap,
                     int surge_max = 1) {
  Wanted result;
  for (const Generation generation : slots) result.slots.push_back({generation, Goal::up});
  result.replacement = replacement;
  result.surge_max = surge_max;
  return result;
}

inline Seen online(InstanceKey key, int slot, Generation generation) {
  return {key, slot, generation, Phase::online, Goal::up, true, false};
}

inline Seen in_phase(InstanceKey key, int slot, Generation generation, Phase phase, Goal goal = Goal::up) {
  return {key, slot, generation, phase, goal, false, false};
}

}  // namespace clusterd::test
