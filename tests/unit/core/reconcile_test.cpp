#include "daemon/core/reconcile.h"

#include <catch2/catch.hpp>

#include "tests/unit/core/world.h"

namespace clusterd {

using test::in_phase;
using test::online;
using test::wanted;
using Kind = Action::Kind;

TEST_CASE("an empty app gets an instance in every slot") {
  const auto actions = reconcile(wanted({1, 1}), {});
  CHECK(actions == std::vector<Action>{{Kind::create, 0, 0, 1}, {Kind::create, 0, 1, 1}});
}

TEST_CASE("an app that is as it should be needs nothing") {
  const std::vector<Seen> seen{online(1, 0, 1), in_phase(2, 1, 1, Phase::backing_off)};
  CHECK(reconcile(wanted({1, 1}), seen).empty());
}

TEST_CASE("with overlap the successor comes first and the old one goes when it has proven itself") {
  std::vector<Seen> seen{online(1, 0, 1)};
  CHECK(reconcile(wanted({2}), seen) == std::vector<Action>{{Kind::create, 0, 0, 2}});
  seen.push_back(in_phase(2, 0, 2, Phase::online));  // ready, not yet for min_uptime
  CHECK(reconcile(wanted({2}), seen).empty());
  seen.back() = online(2, 0, 2);
  CHECK(reconcile(wanted({2}), seen) == std::vector<Action>{{Kind::retire, 1, 0, 1}});
}

TEST_CASE("not more replacements at a time than surge_max") {
  const std::vector<Seen> seen{online(1, 0, 1), online(2, 1, 1), online(3, 2, 1)};
  CHECK(reconcile(wanted({2, 2, 2}, Replacement::overlap, 2), seen).size() == 2);
}

TEST_CASE("without overlap the old one is gone before the new one comes") {
  std::vector<Seen> seen{online(1, 0, 1)};
  const Wanted wish = wanted({2}, Replacement::stop_first);
  CHECK(reconcile(wish, seen) == std::vector<Action>{{Kind::stop, 1, 0, 1}});
  seen[0] = in_phase(1, 0, 1, Phase::stopping, Goal::down);
  CHECK(reconcile(wish, seen).empty());
  seen[0] = in_phase(1, 0, 1, Phase::stopped, Goal::down);
  CHECK(reconcile(wish, seen) == std::vector<Action>{{Kind::discard, 1, 0, 1}, {Kind::create, 0, 0, 2}});
}

TEST_CASE("an instance that ended by policy holds its slot, one that was told to stop does not") {
  CHECK(reconcile(wanted({1}), std::vector{in_phase(1, 0, 1, Phase::stopped)}).empty());
  CHECK(reconcile(wanted({1}), std::vector{in_phase(1, 0, 1, Phase::errored)}).empty());
  CHECK(reconcile(wanted({1}), std::vector{in_phase(1, 0, 1, Phase::stopped, Goal::down)}).size() == 2);
}

TEST_CASE("a slot that is wanted down is stopped and stays empty") {
  Wanted wish = wanted({1, 1});
  wish.slots[1].goal = Goal::down;
  CHECK(reconcile(wish, std::vector{online(1, 0, 1), online(2, 1, 1)}) ==
        std::vector<Action>{{Kind::stop, 2, 1, 1}});
  CHECK(reconcile(wish, std::vector{online(1, 0, 1), in_phase(2, 1, 1, Phase::stopped)}) ==
        std::vector<Action>{{Kind::discard, 2, 1, 1}});
}

TEST_CASE("surplus instances are retired, whatever their generation") {
  CHECK(reconcile(wanted({2}), std::vector{online(1, 0, 2), online(2, 1, 2), online(3, 2, 1)}) ==
        std::vector<Action>{{Kind::retire, 2, 1, 2}, {Kind::retire, 3, 2, 1}});
}

TEST_CASE("a rollback keeps the old one and sends the new one away") {
  // Wanted again: generation 1; the failed generation 2 waits for its next try.
  const std::vector<Seen> seen{online(1, 0, 1), in_phase(2, 0, 2, Phase::backing_off)};
  CHECK(reconcile(wanted({1}), seen) == std::vector<Action>{{Kind::retire, 2, 0, 2}});
}

TEST_CASE("a slot never has more than three processes") {
  const std::vector<Seen> seen{online(1, 0, 1), in_phase(2, 0, 2, Phase::draining, Goal::down),
                               in_phase(3, 0, 3, Phase::stopping, Goal::down)};
  CHECK(reconcile(wanted({4}), seen).empty());
}

}  // namespace clusterd
