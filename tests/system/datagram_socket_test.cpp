#include "daemon/system/datagram_socket.h"

#include <catch2/catch.hpp>

#include "daemon/system/listening_socket.h"

namespace clusterd {
namespace {

const ListenAddress kAnyPort{.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .path = {}};

TEST_CASE("a datagram port is bound once, unless reuse is asked for") {
  const auto first = open_datagram_socket(kAnyPort, {.reuse_address = true});
  REQUIRE(first);
  ListenAddress taken = kAnyPort;
  taken.port = local_address(first->get())->port;
  CHECK(taken.port != 0);
  CHECK(open_datagram_socket(taken, {}).error().code == ErrorCode::conflict);
  CHECK(open_datagram_socket(taken, {.reuse_address = true}));
}

TEST_CASE("an address of another machine is a mistake in the configuration") {
  const ListenAddress elsewhere{.family = AddressFamily::tcp4, .ip = {192, 0, 2, 1}, .path = {}};
  CHECK(open_datagram_socket(elsewhere, {}).error().code == ErrorCode::config);
}

}  // namespace
}  // namespace clusterd
