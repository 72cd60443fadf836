#include "daemon/launch_queue.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

LaunchOrder order(InstanceKey key) {
  LaunchOrder result;
  result.key = key;
  return result;
}

InstanceKey key_of(const std::optional<LaunchOrder>& next) { return next ? next->key : 0; }

}  // namespace

TEST_CASE("launches begin in their order, no more than so many at once") {
  LaunchQueue queue(2);
  for (const InstanceKey key : {1, 2, 3, 4}) queue.add(order(key));
  CHECK(key_of(queue.next()) == 1);
  CHECK(key_of(queue.next()) == 2);
  CHECK(key_of(queue.next()) == 0);
  queue.settled(2);
  CHECK(key_of(queue.next()) == 3);
  CHECK(key_of(queue.next()) == 0);
}

TEST_CASE("who settles without being under way makes no room") {
  LaunchQueue queue(1);
  queue.add(order(1));
  queue.add(order(2));
  CHECK(key_of(queue.next()) == 1);
  queue.settled(2);
  queue.settled(7);
  CHECK(key_of(queue.next()) == 0);
}

TEST_CASE("one that waits can be withdrawn, one under way cannot") {
  LaunchQueue queue(1);
  for (const InstanceKey key : {1, 2, 3}) queue.add(order(key));
  CHECK(key_of(queue.next()) == 1);
  CHECK(key_of(queue.withdraw(1)) == 0);
  CHECK(key_of(queue.withdraw(2)) == 2);
  CHECK(key_of(queue.withdraw(2)) == 0);
  queue.settled(1);
  CHECK(key_of(queue.next()) == 3);
}

TEST_CASE("a small machine starts several at once, too") {
  CHECK(launches_at_once(1) == 16);
  CHECK(launches_at_once(64) == 512);
}

}  // namespace clusterd
