#include "daemon/core/rollout.h"

namespace clusterd {

RolloutJudgement judge_rollout(const Rollout& rollout, const Wanted& wanted, std::span<const Seen> seen) {
  RolloutJudgement judgement;
  std::vector<bool> proven(wanted.slots.size(), false);
  bool stale_up = false;
  for (const Seen& one : seen) {
    if (one.generation != rollout.target) {
      stale_up |= !has_ended(one.phase) && one.goal == Goal::up;
      continue;
    }
    if (one.blamed && one.goal == Goal::up) {
      judgement.verdict = RolloutJudgement::Verdict::failed;
      judgement.culprit = one.key;
      return judgement;
    }
    const bool serves = one.phase == Phase::online && one.settled;
    const bool done_by_policy = one.phase == Phase::stopped && one.goal == Goal::up;
    if ((serves || done_by_policy) && static_cast<std::size_t>(one.slot) < proven.size()) {
      proven[static_cast<std::size_t>(one.slot)] = true;
    }
  }
  bool complete = !stale_up;
  for (std::size_t slot = 0; slot < proven.size(); ++slot) {
    judgement.replaced += proven[slot] ? 1 : 0;
    complete &= proven[slot] || wanted.slots[slot].goal == Goal::down;
  }
  if (complete) judgement.verdict = RolloutJudgement::Verdict::committed;
  return judgement;
}

}  // namespace clusterd
