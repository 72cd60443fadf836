// The in-kernel balancer: who gets a new connection.
#include "daemon/system/kernel_balancer.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <set>
#include <thread>

#include "kernel_lanes.h"
#include "launched.h"

namespace clusterd::test {
namespace {

using Numbers = std::vector<std::int64_t>;

bool come(const Lanes& lanes, const Numbers& open) {
  return eventually([&] { return lanes.all_open() == open; });
}

std::int64_t sum(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

void set_weights(Lanes& lanes, const std::vector<unsigned>& weights) {
  std::vector<LaneShare> shares;
  for (std::size_t i = 0; i < weights.size(); ++i) shares.push_back({lanes.fd(i), weights[i]});
  REQUIRE(lanes.steering().choose(shares, WhenNobody::any));
}

}  // namespace

TEST_CASE("where connections cannot be counted, they are steered all the same") {
  if (!can_balance()) return;
  auto loader = BalancerLoader::start(launcher_path(), CLUSTERD_BIN_DIR "/clusterd-balancer", "/proc");
  REQUIRE(loader);
  auto handles = loader->finish();
  waitpid(-1, nullptr, 0);
  REQUIRE(handles);
  CHECK(handles->uncounted.find("connections cannot be counted: ") == 0);
  const auto kernel = KernelBalancer::make(std::move(*handles));
  REQUIRE(kernel);
  CHECK_FALSE((*kernel)->counts());
}

TEST_CASE("one group may have every lane there is") {
  if (!can_balance()) return;
  KernelBalancer& kernel = *loaded_balancer().kernel;
  GroupPlan plan;
  plan.lanes.resize(BALANCER_LANES_MAX);
  std::iota(plan.lanes.begin(), plan.lanes.end(), 0U);
  const std::uint32_t group = kernel.add_group();
  CHECK(kernel.write_group(group, plan));
  kernel.remove_group(group);
}

TEST_CASE("least_conn gives everybody the same number of connections") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 8);
  auto clients = lanes.connect_many(24);
  CHECK(come(lanes, Numbers(8, 3)));
  for (std::size_t lane = 0; lane < 8; ++lane) {
    CHECK(lanes.counts(lane).total == 3);
    CHECK(lanes.counts(lane).handshakes == 0);
  }
  clients.clear();
  for (std::size_t lane = 0; lane < 8; ++lane) lanes.accept_waiting(lane);
  CHECK(come(lanes, Numbers(8, 0)));
}

TEST_CASE("least_conn fills up those that have become free") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 4);
  const auto clients = lanes.connect_many(16);
  REQUIRE(come(lanes, Numbers(4, 4)));
  lanes.accept_waiting(2);  // closed by the server
  REQUIRE(come(lanes, {4, 4, 0, 4}));
  const auto more = lanes.connect_many(4);
  CHECK(come(lanes, Numbers(4, 4)));
}

TEST_CASE("ties of least_conn go in turn") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 4);
  for (int i = 1; i <= 40; ++i) {
    auto client = lanes.connect();
    REQUIRE(client);
    REQUIRE(eventually([&] { return sum(lanes.all_open()) == 1; }));
    reset_connection(client);
    REQUIRE(eventually([&] { return sum(lanes.all_open()) == 0; }));
  }
  for (std::size_t lane = 0; lane < 4; ++lane) CHECK(lanes.counts(lane).total == 10);
}

TEST_CASE("least_conn heeds weights") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  set_weights(lanes, {1, 9});
  const auto clients = lanes.connect_many(100);
  CHECK(come(lanes, {10, 90}));
}

TEST_CASE("round_robin is exact, whatever is open") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::round_robin, 3);
  const auto clients = lanes.connect_many(6);
  REQUIRE(come(lanes, {2, 2, 2}));
  lanes.accept_waiting(0);
  const auto more = lanes.connect_many(6);
  CHECK(come(lanes, {2, 4, 4}));
}

TEST_CASE("random reaches everybody, and hash keeps to a client's address and port") {
  if (!can_balance()) return;
  KernelLanes random(Spread::random, 4);
  const auto clients = random.connect_many(400);
  REQUIRE(eventually([&] { return sum(random.all_open()) == 400; }));
  for (const std::int64_t open : random.all_open()) CHECK((open > 50 && open < 150));

  KernelLanes hash(Spread::hash, 4);
  const std::uint16_t port = BoundClient().port;
  std::set<std::size_t> where;
  for (int again = 0; again < 6; ++again) {
    BoundClient same(loopback(port));
    REQUIRE(same.port == port);
    UniqueFd client = hash.connect(std::move(same.fd));
    REQUIRE(eventually([&] { return sum(hash.all_open()) == 1; }));
    const Numbers open = hash.all_open();
    where.insert(static_cast<std::size_t>(std::ranges::find(open, 1) - open.begin()));
    reset_connection(client);
    REQUIRE(eventually([&] { return sum(hash.all_open()) == 0; }));
    UniqueFd other = hash.connect();
    REQUIRE(eventually([&] { return sum(hash.all_open()) == 1; }));
    reset_connection(other);
    REQUIRE(eventually([&] { return sum(hash.all_open()) == 0; }));
  }
  CHECK(where.size() == 1);
}

TEST_CASE("who is not chosen gets nothing and keeps what it has") {
  if (!can_balance()) return;
  for (const Spread spread : {Spread::least_conn, Spread::round_robin, Spread::random, Spread::hash}) {
    KernelLanes lanes(spread, 3);
    lanes.choose({1});
    const auto first = lanes.connect_many(5);
    REQUIRE(come(lanes, {0, 5, 0}));
    lanes.choose({0, 2});
    const auto clients = lanes.connect_many(60);
    REQUIRE(eventually([&] { return sum(lanes.all_open()) == 65; }));
    CHECK(lanes.counts(1).open == 5);
    CHECK(lanes.waiting(1) == 5);
  }
}

TEST_CASE("with nobody to choose, connections are refused or go to any, as ordered") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  const auto waiting = lanes.connect_many(2);
  lanes.choose({}, WhenNobody::refuse);
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(lanes.connect());
    CHECK(errno == ECONNREFUSED);
  }
  CHECK(come(lanes, {1, 1}));
  lanes.choose({}, WhenNobody::any);
  const auto more = lanes.connect_many(10);
  CHECK(eventually([&] { return sum(lanes.all_open()) == 12; }));
  lanes.choose_all();
  CHECK(lanes.connect());
}

TEST_CASE("a directed connection goes to its lane, though that gets no others") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 3);
  lanes.choose({0, 1});
  for (const WhenNobody when_nobody : {WhenNobody::any, WhenNobody::refuse}) {
    const std::int64_t before = lanes.counts(2).open;
    BoundClient probe;
    REQUIRE(lanes.steering().direct(probe.port, lanes.fd(2)));
    const UniqueFd client = lanes.connect(std::move(probe.fd));
    CHECK(client);
    CHECK(eventually([&] { return lanes.counts(2).open == before + 1; }));
    lanes.steering().undirect(probe.port);
    lanes.choose({}, when_nobody);
  }
  lanes.choose({0, 1});
  const auto clients = lanes.connect_many(10);
  CHECK(eventually([&] { return lanes.counts(0).open + lanes.counts(1).open == 10; }));
}

TEST_CASE("IPv6, and IPv4 through a dual-stack socket, are balanced and counted alike") {
  if (!can_balance()) return;
  if (!has_ipv6()) {
    WARN("skipped: no IPv6 here");
    return;
  }
  KernelLanes six(Spread::least_conn, 4, loopback6());
  const auto clients = six.connect_many(12);
  CHECK(come(six, Numbers(4, 3)));

  KernelLanes both(Spread::least_conn, 4, dual_stack());
  std::vector<UniqueFd> mixed;
  for (int i = 0; i < 6; ++i) {
    mixed.push_back(Lanes::connect_to(loopback(both.address().port)));
    mixed.push_back(Lanes::connect_to(loopback6(both.address().port)));
  }
  CHECK(come(both, Numbers(4, 3)));
  for (UniqueFd& one : mixed) reset_connection(one);
  CHECK(come(both, Numbers(4, 0)));
}

TEST_CASE("four threads that connect at the same time are spread evenly, too") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 8);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 250;
  std::vector<std::vector<UniqueFd>> clients(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : clients) threads.emplace_back([&] { mine = lanes.connect_many(kEach); });
  }
  REQUIRE(eventually([&] { return sum(lanes.all_open()) == kThreads * kEach; }));
  CHECK(lanes.all_open() == Numbers(8, 125));
}

TEST_CASE("a group beside another one gets nothing of it") {
  if (!can_balance()) return;
  KernelLanes one(Spread::least_conn, 2);
  KernelLanes other(Spread::least_conn, 2);
  const auto clients = one.connect_many(10);
  CHECK(come(one, {5, 5}));
  CHECK(other.all_open() == Numbers{0, 0});
}

}  // namespace clusterd::test
