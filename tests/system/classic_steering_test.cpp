#include "daemon/system/classic_steering.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "lanes.h"

namespace clusterd::test {
namespace {

using Lengths = std::vector<int>;

std::unique_ptr<Steering> steering(Spread spread) { return std::make_unique<ClassicSteering>(spread); }

// As many as come within one connect() each: the loopback is synchronous, but a CPU may lag behind.
bool come(const Lanes& lanes, int count) {
  return eventually([&] {
    const Lengths lengths = lanes.all_waiting();
    return std::accumulate(lengths.begin(), lengths.end(), 0) == count;
  });
}

std::vector<ListenAddress> families() {
  std::vector<ListenAddress> addresses{loopback()};
  if (has_ipv6()) {
    addresses.push_back(loopback6());
    addresses.push_back(dual_stack());
  } else {
    WARN("IPv6 is not checked: there is none here");
  }
  return addresses;
}

}  // namespace

TEST_CASE("classic: everybody who is chosen gets connections, nobody else does") {
  for (const ListenAddress& address : families()) {
    for (const Spread spread : {Spread::random, Spread::hash}) {
      Lanes lanes(steering(spread), 4, address);
      lanes.choose({0, 1, 3});
      const auto clients = lanes.connect_many(300);
      REQUIRE(come(lanes, 300));
      const Lengths lengths = lanes.all_waiting();
      INFO("lanes: " << lengths[0] << " " << lengths[1] << " " << lengths[2] << " " << lengths[3]);
      CHECK(lengths[2] == 0);
      for (const std::size_t lane : {0U, 1U, 3U}) CHECK((lengths[lane] > 50 && lengths[lane] < 150));
    }
  }
}

TEST_CASE("classic: IPv4 clients of a dual-stack socket are spread, too") {
  if (!has_ipv6()) return;
  Lanes lanes(steering(Spread::hash), 2, dual_stack());
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(Lanes::connect_to(loopback(lanes.address().port)));
  REQUIRE(come(lanes, 100));
  CHECK(lanes.waiting(0) > 20);
  CHECK(lanes.waiting(1) > 20);
}

TEST_CASE("classic: hash keeps to a client's address and port") {
  for (const ListenAddress& address : families()) {
    const ListenAddress own = address.family == AddressFamily::tcp4 ? loopback() : loopback6();
    Lanes lanes(steering(Spread::hash), 5, address);
    const std::uint16_t port = BoundClient(own).port;
    std::set<std::size_t> reached;
    for (int again = 0; again < 5; ++again) {
      ListenAddress same = own;
      same.port = port;
      BoundClient client(same);
      REQUIRE(client.port == port);
      UniqueFd connection = lanes.connect(std::move(client.fd));
      REQUIRE(connection);
      REQUIRE(come(lanes, 1));
      const Lengths lengths = lanes.all_waiting();
      const auto lane = static_cast<std::size_t>(std::ranges::find(lengths, 1) - lengths.begin());
      reached.insert(lane);
      reset_connection(connection);
      lanes.accept(lane);
    }
    CHECK(reached.size() == 1);
  }
}

TEST_CASE("classic: after a lane has gone the others are still told apart") {
  for (std::size_t gone = 0; gone < 4; ++gone) {
    Lanes lanes(steering(Spread::random), 4);
    lanes.remove(gone);
    for (std::size_t only = 0; only < 4; ++only) {
      if (only == gone) continue;
      lanes.choose({only});
      const int before = lanes.waiting(only);
      const auto clients = lanes.connect_many(20);
      CHECK(eventually([&] { return lanes.waiting(only) == before + 20; }));
    }
    // And one that joins is numbered behind them.
    const std::size_t fresh = lanes.add();
    lanes.choose({fresh});
    const auto clients = lanes.connect_many(20);
    CHECK(eventually([&] { return lanes.waiting(fresh) == 20; }));
  }
}

TEST_CASE("classic: weights") {
  Lanes lanes(steering(Spread::random), 2);
  const LaneShare shares[] = {{lanes.fd(0), 1}, {lanes.fd(1), 9}};
  REQUIRE(lanes.steering().choose(shares, WhenNobody::any));
  const auto clients = lanes.connect_many(500);
  REQUIRE(come(lanes, 500));
  CHECK((lanes.waiting(0) > 20 && lanes.waiting(0) < 90));
}

TEST_CASE("classic: a directed connection goes to its lane, though that gets no others") {
  for (const ListenAddress& address : families()) {
    Lanes lanes(steering(Spread::random), 3, address);
    lanes.choose({0, 1});
    for (int probes = 1; probes <= 10; ++probes) {
      BoundClient client(address.family == AddressFamily::tcp4 ? loopback() : loopback6());
      REQUIRE(lanes.steering().direct(client.port, lanes.fd(2)));
      UniqueFd connection = lanes.connect(std::move(client.fd));
      CHECK(connection);
      CHECK(eventually([&] { return lanes.waiting(2) == 1; }));
      lanes.steering().undirect(client.port);
      lanes.accept(2);
    }
    const auto clients = lanes.connect_many(50);
    REQUIRE(come(lanes, 50));
    CHECK(lanes.waiting(2) == 0);
  }
}

TEST_CASE("classic: with nobody to choose, any lane takes them") {
  Lanes lanes(steering(Spread::random), 2);
  lanes.choose({}, WhenNobody::refuse);
  const auto clients = lanes.connect_many(50);
  CHECK(come(lanes, 50));
}

TEST_CASE("classic: five hundred lanes and as many weights fit into the program") {
  Lanes lanes(steering(Spread::random), 2);
  const LaneShare shares[] = {{lanes.fd(0), 1}, {lanes.fd(1), 1'000'000}};
  CHECK(lanes.steering().choose(shares, WhenNobody::any));
  Lanes many(steering(Spread::hash), 500);
  const auto clients = many.connect_many(500);
  CHECK(come(many, 500));
}

}  // namespace clusterd::test
