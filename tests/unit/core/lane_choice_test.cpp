#include "daemon/core/lane_choice.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

using Indexes = std::vector<std::size_t>;
using enum LaneState;

TEST_CASE("who serves gets all, whatever else listens") {
  const std::vector<LaneView> lanes{
      {orphan, true}, {serving, true}, {leaving, true}, {serving, true}, {lost, true}};
  CHECK(choose_lanes(lanes) == Indexes{1, 3});
  CHECK(choose_lanes(lanes, false) == Indexes{1, 3});
}

TEST_CASE("nothing is sent to who leaves or does not listen") {
  const std::vector<LaneView> lanes{{leaving, true}, {serving, false}, {orphan, false}};
  CHECK(choose_lanes(lanes).empty());
  CHECK(choose_lanes(lanes, false).empty());
}

TEST_CASE("when nobody serves, connections wait for those to come") {
  const std::vector<LaneView> lanes{
      {leaving, true}, {starting, true}, {orphan, true}, {orphan, true}, {lost, true}};
  CHECK(choose_lanes(lanes) == Indexes{2, 3});
  const std::vector<LaneView> all_owned{{starting, true}, {lost, true}};
  CHECK(choose_lanes(all_owned) == Indexes{0, 1});
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

}  // namespace
}  // namespace clusterd
