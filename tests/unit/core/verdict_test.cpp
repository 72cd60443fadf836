#include "daemon/core/verdict.h"

#include <catch2/catch.hpp>

#include "tests/unit/core/world.h"

namespace clusterd {

using test::in_phase;
using test::online;
using test::wanted;

TEST_CASE("a slot is judged by its fresh instance alone") {
  const Wanted wish = wanted({2});
  CHECK(judge_slots(wish, std::vector{online(1, 0, 1)})[0].state == SlotState::pending);
  CHECK(judge_slots(wish, std::vector{online(1, 0, 1), online(2, 0, 2)})[0].state == SlotState::up);
  CHECK(judge_slots(wish, std::vector{in_phase(2, 0, 2, Phase::starting)})[0].state == SlotState::pending);
  CHECK(judge_slots(wish, std::vector{in_phase(2, 0, 2, Phase::stopped)})[0].state == SlotState::finished);
  CHECK(judge_slots(wish, std::vector{in_phase(2, 0, 2, Phase::errored)})[0].state == SlotState::failed);
}

TEST_CASE("an instance that failed is failed although it tries again") {
  std::vector<Seen> seen{in_phase(2, 0, 2, Phase::backing_off)};
  CHECK(judge_slots(wanted({2}), seen)[0].state == SlotState::pending);
  seen[0].blamed = true;
  CHECK(judge_slots(wanted({2}), seen)[0].state == SlotState::failed);
  CHECK(judge_slots(wanted({2}), seen)[0].culprit == 2);
}

TEST_CASE("a slot that is gone or not wanted is down") {
  Wanted wish = wanted({2});
  wish.slots[0].goal = Goal::down;
  CHECK(judge_slots(wish, std::vector{online(2, 0, 2)})[0].state == SlotState::down);
}

}  // namespace clusterd
