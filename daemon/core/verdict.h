// Has what was ordered come true? Asked after every batch of events for each request that waits.
//
// Pure; says nothing about how things get there. "Failed" is what a person would call failed: not ready, gone
// before it was ready, cannot be executed. The instance may well be trying again.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daemon/core/reconcile.h"

namespace clusterd {

enum class SlotState : std::uint8_t {
  pending,   // on its way
  up,        // ready
  finished,  // ran to its end, as its settings allow
  failed,    // see `culprit`
  down,      // not wanted any more
};

struct SlotVerdict {
  SlotState state = SlotState::pending;
  std::optional<InstanceKey> culprit;
};

// By slot, in one pass over the instances.
std::vector<SlotVerdict> judge_slots(const Wanted& wanted, std::span<const Seen> seen);

}  // namespace clusterd
