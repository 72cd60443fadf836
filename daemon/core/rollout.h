// A rollout seen from outside: running, committed or failed.
//
// A rollout is a transaction over the slots of one app. The supervisor notes the slots it started from, sets
// every slot to the new generation and lets the planner work; after each batch of events it asks
// judge_rollout(). On `failed` it sets the slots back, and the planner brings the old generation back where
// it was already replaced. Pure; owns nothing.
#pragma once

#include <optional>
#include <span>

#include "daemon/core/reconcile.h"

namespace clusterd {

struct Rollout {
  Generation target = 0;
  std::vector<Generation>
      before;     // what each slot ran, for the way back; its size is the count to go back to
  int count = 0;  // slots after the commit
};

struct RolloutJudgement {
  enum class Verdict : std::uint8_t { running, committed, failed } verdict = Verdict::running;
  std::optional<InstanceKey> culprit;  // failed: the instance that did
  int replaced = 0;                    // slots that run the target and have proven it
};

RolloutJudgement judge_rollout(const Rollout& rollout, const Wanted& wanted, std::span<const Seen> seen);

}  // namespace clusterd
