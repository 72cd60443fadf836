#include "daemon/core/rollout.h"

#include <catch2/catch.hpp>

#include "tests/unit/core/world.h"

namespace clusterd {

using test::in_phase;
using test::online;
using test::wanted;
using Verdict = RolloutJudgement::Verdict;

TEST_CASE("a rollout is committed when every slot has proven the target and nobody old is meant to stay") {
  const Rollout rollout{2, {1, 1}};
  const Wanted wish = wanted({2, 2});
  std::vector<Seen> seen{online(1, 0, 1), online(2, 1, 1), online(3, 0, 2)};
  CHECK(judge_rollout(rollout, wish, seen).verdict == Verdict::running);
  CHECK(judge_rollout(rollout, wish, seen).replaced == 1);
  seen = {online(3, 0, 2), online(4, 1, 2), in_phase(2, 1, 1, Phase::draining, Goal::down)};
  CHECK(judge_rollout(rollout, wish, seen).verdict == Verdict::committed);
}

TEST_CASE("ready is not proven") {
  const std::vector<Seen> seen{in_phase(2, 0, 2, Phase::online)};
  CHECK(judge_rollout({2, {1}}, wanted({2}), seen).verdict == Verdict::running);
}

TEST_CASE("one blamed instance of the target fails the rollout and is named") {
  std::vector<Seen> seen{online(1, 0, 1), in_phase(2, 0, 2, Phase::backing_off)};
  seen[1].blamed = true;
  const RolloutJudgement judgement = judge_rollout({2, {1}}, wanted({2}), seen);
  CHECK(judgement.verdict == Verdict::failed);
  CHECK(judgement.culprit == 2);
}

TEST_CASE("a crash of an old instance is not the new version's fault") {
  std::vector<Seen> seen{in_phase(1, 0, 1, Phase::backing_off), in_phase(2, 0, 2, Phase::starting)};
  seen[0].blamed = true;
  CHECK(judge_rollout({2, {1}}, wanted({2}), seen).verdict == Verdict::running);
}

TEST_CASE("slots that are wanted down do not hold up a rollout") {
  Wanted wish = wanted({2, 2});
  wish.slots[1].goal = Goal::down;
  CHECK(judge_rollout({2, {1, 1}}, wish, std::vector{online(3, 0, 2)}).verdict == Verdict::committed);
}

}  // namespace clusterd
