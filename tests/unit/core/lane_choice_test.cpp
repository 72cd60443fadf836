#include "daemon/core/lane_choice.h"

#include <array>
#include <catch2/catch.hpp>

namespace clusterd {
namespace {

using Indexes = std::vector<std::size_t>;
using enum LaneState;

constexpr bool kDeaf = false;

}  // namespace

TEST_CASE("who serves gets everything") {
  const std::vector<LaneView> lanes{{starting, true}, {serving, true}, {leaving, true},
                                    {serving, true},  {lost, true},    {orphan, true}};
  CHECK(choose_lanes(lanes) == Indexes{1, 3});
}

TEST_CASE("if nobody serves, connections wait where nobody has the lane, then with those who start") {
  std::vector<LaneView> lanes{{starting, true}, {lost, true}, {orphan, true}, {leaving, true}};
  CHECK(choose_lanes(lanes) == Indexes{2});
  lanes[2].state = leaving;
  CHECK(choose_lanes(lanes) == Indexes{0, 1});
  lanes[0].state = leaving;
  CHECK(choose_lanes(lanes) == Indexes{1});
}

TEST_CASE("nobody is chosen who leaves, or does not listen") {
  CHECK(choose_lanes({}).empty());
  CHECK(choose_lanes(std::vector<LaneView>{{leaving, true}, {leaving, true}}).empty());
  CHECK(choose_lanes(std::vector<LaneView>{{serving, kDeaf}, {orphan, kDeaf}, {lost, kDeaf}}).empty());
  CHECK(choose_lanes(std::vector<LaneView>{{serving, kDeaf}, {starting, true}}) == Indexes{1});
}

TEST_CASE("in every group of three somebody is chosen unless all that listen leave") {
  constexpr std::array kStates{starting, serving, leaving, lost, orphan};
  constexpr unsigned kKinds = kStates.size() * 2;
  for (unsigned world = 0; world < kKinds * kKinds * kKinds; ++world) {
    std::vector<LaneView> lanes;
    for (unsigned rest = world, i = 0; i < 3; ++i, rest /= kKinds)
      lanes.push_back({kStates[rest % kStates.size()], (rest % kKinds) >= kStates.size()});
    const Indexes chosen = choose_lanes(lanes);
    bool possible = false;
    bool serves = false;
    for (const LaneView& lane : lanes) {
      possible |= lane.listening && lane.state != leaving;
      serves |= lane.listening && lane.state == serving;
    }
    REQUIRE(chosen.empty() == !possible);
    for (const std::size_t index : chosen) {
      REQUIRE(lanes[index].listening);
      REQUIRE(lanes[index].state != leaving);
      REQUIRE((!serves || lanes[index].state == serving));
    }
  }
}

TEST_CASE("where queues cannot move, all wait in one that the next instance gets") {
  const std::vector<LaneView> lanes{
      {leaving, true}, {lost, true}, {orphan, true}, {starting, true}, {orphan, true}};
  CHECK(choose_lanes(lanes, false) == Indexes{2});
  const std::vector<LaneView> taken{{starting, true}, {orphan, true}};
  CHECK(choose_lanes(taken, false) == Indexes{0});
  const std::vector<LaneView> crashed{{lost, true}, {leaving, true}, {lost, true}};
  CHECK(choose_lanes(crashed, false) == Indexes{0, 2});
}

}  // namespace clusterd
