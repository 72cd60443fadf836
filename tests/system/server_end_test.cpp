// Which socket took a connection: unknown before it was accepted, right afterwards.
#include "daemon/system/server_end.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_address.h"
#include "daemon/system/socket_inode.h"

namespace clusterd::test {
namespace {

// Connects to a listener at `asked`, from `to` if that is another way to it.
void check_end(const ListenAddress& asked, const char* to) {
  const auto listener = open_listening_socket(asked);
  REQUIRE(listener);
  REQUIRE(start_listening(listener->get()));
  ListenAddress address = parse_listen_address(to).value();
  address.port = local_address(listener->get())->port;
  const auto where = to_socket_address(address);
  const UniqueFd client(socket(where->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(client.get(), where->get(), where->length) == 0);
  CHECK(server_end_inode(client.get()) == 0U);
  const UniqueFd accepted(accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  REQUIRE(accepted);
  CHECK(server_end_inode(client.get()) == socket_inode(accepted.get()));
}

TEST_CASE("the other end of a connection is found once it has been accepted") {
  check_end(parse_listen_address("127.0.0.1:0").value(), "127.0.0.1:1");
  if (UniqueFd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).get() < 0) return;
  check_end(parse_listen_address("[::1]:0").value(), "[::1]:1");
  check_end(parse_listen_address("*:0").value(), "127.0.0.1:1");
}

TEST_CASE("what is no connection over TCP has no such end") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const UniqueFd one(ends[0]);
  const UniqueFd other(ends[1]);
  CHECK_FALSE(server_end_inode(one.get()));
  CHECK_FALSE(server_end_inode(-1));
}

}  // namespace
}  // namespace clusterd::test
