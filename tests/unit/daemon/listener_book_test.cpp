#include "daemon/listener_book.h"

#include <algorithm>

#include "tests/unit/daemon/lanes_fixture.h"

namespace clusterd {
namespace {

using test::client_of;
using test::clients_of;
using test::loopback;
using test::queue_becomes;

const AppKey kWeb{"default", "web"};
const AppKey kApi{"default", "api"};

std::vector<pid_t> nobody() { return {}; }

AppSpec listening_on(std::vector<ListenAddress> addresses) {
  AppSpec spec;
  spec.name = "web";
  for (ListenAddress& address : addresses) spec.listen.emplace_back(std::move(address));
  return spec;
}

SocketCall bind_of(const ListenAddress& address) {
  SocketCall call;
  call.address = address;
  return call;
}

struct World {
  Balancing balancing{""};
  ListenerBook book{balancing, [] {}};

  // Free at this moment.
  static ListenAddress free_address() {
    const auto fd = open_listening_socket(loopback());
    return local_address(fd->get()).value();
  }
  int bound(const AppKey& app, InstanceKey user, const ListenAddress& address) {
    const CallVerdict verdict = book.on_bind(app, user, Balance::automatic, bind_of(address), nobody);
    REQUIRE(verdict.kind == CallVerdict::Kind::substitute);
    return verdict.fd;
  }
};

}  // namespace

TEST_CASE("declared addresses are open and listen before anybody starts, one lane an instance") {
  World world;
  const AppSpec spec = listening_on({loopback(), World::free_address()});
  const auto first = world.book.declare(kWeb, 1, spec);
  REQUIRE(first);
  REQUIRE(first->size() == 2);
  for (const int fd : *first) CHECK(client_of(local_address(fd).value()));
  const auto second = world.book.declare(kWeb, 2, spec);
  REQUIRE(second);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK((*first)[i] != (*second)[i]);
    CHECK(local_address((*first)[i]).value() == local_address((*second)[i]).value());
  }
  CHECK(world.book.declare(kWeb, 1, spec) == *first);
  CHECK(world.book.ports(kWeb).size() == 2);
  CHECK(world.book.steers(kWeb, 1));
  CHECK(world.book.find_port(kWeb, spec.listen[1].address.port) != nullptr);
  CHECK(world.book.find_port(kApi, spec.listen[1].address.port) == nullptr);
}

TEST_CASE("an address of another app is a conflict that names it") {
  World world;
  const AppSpec spec = listening_on({World::free_address()});
  REQUIRE(world.book.declare(kWeb, 1, spec));
  const auto declared = world.book.declare(kApi, 2, spec);
  REQUIRE_FALSE(declared);
  CHECK(declared.error().code == ErrorCode::conflict);
  CHECK(declared.error().message == to_string(spec.listen[0].address) + " belongs to the app 'web'");

  const CallVerdict bind =
      world.book.on_bind(kApi, 2, Balance::automatic, bind_of(spec.listen[0].address), nobody);
  CHECK(bind.kind == CallVerdict::Kind::refuse);
  CHECK(bind.error == EADDRINUSE);

  world.book.close_app(kWeb);
  CHECK(world.book.declare(kApi, 2, spec));
}

TEST_CASE("a program's bind() gets a lane that listens when the program does") {
  World world;
  const ListenAddress address = World::free_address();
  const int first = world.bound(kWeb, 1, address);
  const int second = world.bound(kWeb, 2, address);
  CHECK(first != second);
  CHECK_FALSE(client_of(address));

  SocketCall listen;
  listen.kind = SocketCall::Kind::listen;
  CHECK(world.book.on_listen(kWeb, listen).kind == CallVerdict::Kind::pass);  // another socket of the program
  const auto& lanes = (*world.book.groups(kWeb))[0]->lanes();
  listen.socket_inode = lanes.back().inode;
  CHECK(world.book.on_listen(kWeb, listen).kind == CallVerdict::Kind::succeed);
  world.book.admit(kWeb, 2);
  const auto clients = clients_of(address, 3);
  CHECK(queue_becomes(second, 3));
  CHECK(world.book.load_of(kWeb, 2).queued == 3);
  CHECK(world.book.load_of(kWeb, 1).queued == 0);
}

TEST_CASE("bind() is refused with the errno the program would have seen") {
  World world;
  const auto foreign = open_listening_socket(loopback());
  REQUIRE(start_listening(foreign->get()));
  const ListenAddress taken = local_address(foreign->get()).value();
  const CallVerdict in_use = world.book.on_bind(kWeb, 1, Balance::automatic, bind_of(taken), nobody);
  CHECK(in_use.kind == CallVerdict::Kind::refuse);
  CHECK(in_use.error == EADDRINUSE);

  SocketCall low = bind_of(loopback(80));
  low.privileged_port_allowed = false;
  CHECK(world.book.on_bind(kWeb, 1, Balance::automatic, low, nobody).error == EACCES);

  const ListenAddress nowhere{.family = AddressFamily::tcp4, .ip = {192, 0, 2, 1}, .port = 8'080, .path = {}};
  CHECK(world.book.on_bind(kWeb, 1, Balance::automatic, bind_of(nowhere), nobody).error == EADDRNOTAVAIL);
  CHECK(world.book.on_bind(kWeb, 1, Balance::automatic, SocketCall{}, nobody).kind ==
        CallVerdict::Kind::pass);
}

TEST_CASE("after a crash the successor gets the very lane, through bind() and by declaration") {
  World world;
  const AppSpec spec = listening_on({loopback()});
  const int declared = world.book.declare(kWeb, 1, spec)->front();
  const ListenAddress other = World::free_address();
  const int own = world.bound(kWeb, 1, other);
  world.book.lost(kWeb, 1);
  world.book.end_life(kWeb, 1);
  CHECK(world.book.declare(kWeb, 1, spec)->front() == declared);
  CHECK(world.bound(kWeb, 1, other) == own);
}

TEST_CASE("what nobody uses and the spec does not declare is closed") {
  World world;
  const ListenAddress kept = World::free_address();
  const AppSpec spec = listening_on({kept});
  REQUIRE(world.book.declare(kWeb, 1, spec));
  const ListenAddress used = World::free_address();
  world.bound(kWeb, 1, used);
  world.book.close_unused(kWeb, spec.listen);
  CHECK(world.book.ports(kWeb).size() == 2);
  world.book.end_life(kWeb, 1);
  world.book.close_unused(kWeb, spec.listen);
  CHECK(world.book.ports(kWeb) == std::vector<std::uint16_t>{kept.port});
}

TEST_CASE("a lane is handed out first and listens by order") {
  World world;
  const ListenAddress address = World::free_address();
  CHECK_FALSE(world.book.listening(kWeb, 1, address));
  const auto fd = world.book.hand_out(kWeb, 1, Balance::automatic, address);
  REQUIRE(fd);
  CHECK(local_address(*fd) == address);
  CHECK_FALSE(client_of(address));
  CHECK(world.book.listening(kWeb, 1, address));
  CHECK(client_of(address));
}

}  // namespace clusterd
