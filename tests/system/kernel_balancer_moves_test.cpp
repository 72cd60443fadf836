// The in-kernel balancer: what waits in a lane that goes away moves to the others, counted there.
#include <sys/socket.h>
#include <unistd.h>

#include <numeric>

#include "kernel_lanes.h"

namespace clusterd::test {
namespace {

using Numbers = std::vector<std::int64_t>;

bool come(const Lanes& lanes, const Numbers& open) {
  return eventually([&] { return lanes.all_open() == open; });
}

// Every client gets an answer: nobody's connection was lost.
void check_served(const Lanes& lanes, const std::vector<std::size_t>& by,
                  const std::vector<UniqueFd>& clients) {
  for (const std::size_t lane : by) {
    for (const UniqueFd& accepted : lanes.accept_waiting(lane)) CHECK(write(accepted.get(), "!", 1) == 1);
  }
  for (const UniqueFd& client : clients) {
    pollfd ready{client.get(), POLLIN, 0};
    char byte = 0;
    REQUIRE(poll(&ready, 1, 5'000) == 1);
    CHECK(read(client.get(), &byte, 1) == 1);
  }
}

}  // namespace

TEST_CASE("the queue of a lane that stops listening moves to the others, counted there") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 3);
  const auto clients = lanes.connect_many(30);
  REQUIRE(come(lanes, {10, 10, 10}));
  lanes.choose({1, 2});
  stop_listening(lanes.fd(0));
  CHECK(come(lanes, {0, 15, 15}));
  CHECK(lanes.waiting(1) == 15);
  CHECK(lanes.waiting(2) == 15);
  check_served(lanes, {1, 2}, clients);
  CHECK(come(lanes, {0, 0, 0}));
}

TEST_CASE("connections that moved twice count where they are") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 3);
  const auto clients = lanes.connect_many(9);
  REQUIRE(come(lanes, {3, 3, 3}));
  lanes.choose({1});
  stop_listening(lanes.fd(0));
  REQUIRE(come(lanes, {0, 6, 3}));
  lanes.choose({2});
  stop_listening(lanes.fd(1));
  REQUIRE(come(lanes, {0, 0, 9}));
  check_served(lanes, {2}, clients);
  CHECK(come(lanes, {0, 0, 0}));
}

TEST_CASE("a lane that listens again is there as before") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  lanes.choose({1});
  stop_listening(lanes.fd(0));
  const auto meanwhile = lanes.connect_many(4);
  REQUIRE(come(lanes, {0, 4}));
  lanes.listen(0);
  lanes.choose_all();
  const auto clients = lanes.connect_many(4);
  CHECK(come(lanes, {4, 4}));
  check_served(lanes, {0, 1}, clients);
}

TEST_CASE("what is removed while connections wait in it loses none, and they count where they went") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  lanes.choose({0});
  const auto clients = lanes.connect_many(5);
  REQUIRE(come(lanes, {5, 0}));
  lanes.choose({1});
  lanes.remove(0);
  CHECK(eventually([&] { return lanes.counts(1).open == 5; }));
  check_served(lanes, {1}, clients);
  CHECK(eventually([&] { return lanes.counts(1).open == 0; }));
}

TEST_CASE("who reset its connection while it waited is counted nowhere after the move") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  lanes.choose({0});
  auto clients = lanes.connect_many(6);
  REQUIRE(come(lanes, {6, 0}));
  for (std::size_t i = 0; i < 3; ++i) reset_connection(clients[i]);
  REQUIRE(come(lanes, {3, 0}));
  lanes.choose({1});
  stop_listening(lanes.fd(0));
  CHECK(come(lanes, {0, 3}));
  clients.clear();
  lanes.accept_waiting(1);
  CHECK(come(lanes, {0, 0}));
  // Nothing is left in the loads either: the next ones are shared evenly.
  lanes.listen(0);
  lanes.choose_all();
  const auto next = lanes.connect_many(10);
  CHECK(come(lanes, {5, 5}));
}

TEST_CASE("connections of a lane number's earlier life do not disturb the later one") {
  if (!can_balance()) return;
  KernelBalancer& kernel = *loaded_balancer().kernel;
  KernelLanes lanes(Spread::least_conn, 1);
  const UniqueFd client = lanes.connect();
  REQUIRE(come(lanes, {1}));
  UniqueFd accepted = lanes.accept(0);
  lanes.remove(0);

  // The number comes back when all others have been used.
  const std::uint32_t group = kernel.add_group();
  const UniqueFd any(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  for (int i = 0; i < BALANCER_LANES_MAX - 1; ++i) {
    const auto number = kernel.add_lane(group, any.get());
    REQUIRE(number);
    kernel.remove_lane(*number, any.get());
  }
  kernel.remove_group(group);
  const std::size_t again = lanes.add();
  lanes.choose_all();
  const UniqueFd second = lanes.connect();
  REQUIRE(eventually([&] { return lanes.counts(again).open == 1; }));
  accepted.reset();
  const UniqueFd third = lanes.connect();
  REQUIRE(eventually([&] { return lanes.counts(again).total == 2; }));
  CHECK(lanes.counts(again).open == 2);
}

TEST_CASE("a first lane on port 0 keeps the port when it stops and listens again") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  lanes.choose({1});
  stop_listening(lanes.fd(0));
  lanes.listen(0);
  CHECK(local_address(lanes.fd(0)).value().port == lanes.address().port);
}

}  // namespace clusterd::test
