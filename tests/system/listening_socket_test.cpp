#include "daemon/system/listening_socket.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "daemon/system/port_holder.h"
#include "daemon/system/socket_address.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

ListenAddress loopback(std::uint16_t port = 0) {
  return {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = port, .path = {}};
}
ListenAddress loopback6(std::uint16_t port = 0) {
  ListenAddress address{.family = AddressFamily::tcp6, .port = port, .path = {}};
  address.ip[15] = 1;
  return address;
}
ListenAddress any6(bool dual_stack) {
  return {.family = AddressFamily::tcp6, .port = 0, .dual_stack = dual_stack, .path = {}};
}
ListenAddress unix_address(std::string path) {
  return {.family = AddressFamily::unix_stream, .path = std::move(path)};
}

UniqueFd opened(const ListenAddress& address) {
  auto fd = open_listening_socket(address);
  if (!fd) FAIL(fd.error().message);
  return std::move(*fd);
}

// errno of connecting, 0 on success.
int connect_error(const ListenAddress& address) {
  const auto where = to_socket_address(address);
  const UniqueFd client(socket(where->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(client.get(), where->get(), where->length) == 0 ? 0 : errno;
}

bool has_ipv6() { return UniqueFd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).get() >= 0; }

TEST_CASE("a TCP socket is bound first and serves once it listens") {
  const UniqueFd fd = opened(loopback());
  const auto address = local_address(fd.get());
  REQUIRE(address);
  CHECK(address->port != 0);
  CHECK(address == loopback(address->port));
  CHECK(connect_error(*address) == ECONNREFUSED);
  CHECK(start_listening(fd.get()));
  CHECK(start_listening(fd.get()));
  CHECK(connect_error(*address) == 0);
}

TEST_CASE("IPv6 sockets serve IPv4 clients exactly when they are dual stack") {
  if (!has_ipv6()) {
    WARN("skipped: no IPv6 here");
    return;
  }
  for (const bool dual_stack : {false, true}) {
    const UniqueFd fd = opened(any6(dual_stack));
    REQUIRE(start_listening(fd.get()));
    const auto address = local_address(fd.get());
    CHECK(address->dual_stack == dual_stack);
    CHECK(connect_error(loopback6(address->port)) == 0);
    CHECK(connect_error(loopback(address->port)) == (dual_stack ? 0 : ECONNREFUSED));
  }
}

TEST_CASE("a port in use is a conflict that names address and holder") {
  const UniqueFd first = opened(loopback());
  REQUIRE(start_listening(first.get()));
  const ListenAddress address = *local_address(first.get());
  const auto second = open_listening_socket(address);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::conflict);
  CHECK(second.error().message ==
        to_string(address) + " is already in use by system_tests (pid " + std::to_string(getpid()) + ")");
}

TEST_CASE("a port that somebody else began to listen on in the meantime is a conflict of start_listening") {
  const UniqueFd first = opened(loopback());
  const ListenAddress address = *local_address(first.get());
  const UniqueFd second = opened(address);  // two bound sockets may share a port
  REQUIRE(start_listening(second.get()));
  const auto started = start_listening(first.get());
  REQUIRE_FALSE(started);
  CHECK(started.error().code == ErrorCode::conflict);
  CHECK_THAT(started.error().message, Catch::Contains(to_string(address)));
}

TEST_CASE("an address of no interface is named") {
  const auto fd =
      open_listening_socket({.family = AddressFamily::tcp4, .ip = {192, 0, 2, 1}, .port = 80, .path = {}});
  REQUIRE_FALSE(fd);
  CHECK(fd.error().code == ErrorCode::config);
  CHECK_THAT(fd.error().message, Catch::Contains("192.0.2.1:80"));
}

TEST_CASE("nobody holds a port that nobody listens on") {
  const UniqueFd fd = opened(loopback());
  CHECK(describe_port_holder(local_address(fd.get())->port).empty());
}

TEST_CASE("a unix socket has mode 0755 whatever the umask, and a stale file is replaced") {
  const TempFolder folder;
  const ListenAddress address = unix_address(folder / "app.sock");
  const mode_t before = umask(0077);
  {
    const UniqueFd fd = opened(address);
    REQUIRE(start_listening(fd.get()));
    CHECK(connect_error(address) == 0);
    CHECK(*local_address(fd.get()) == address);
  }
  CHECK(connect_error(address) == ECONNREFUSED);
  const UniqueFd fd = opened(address);
  umask(before);
  struct stat about;
  REQUIRE(stat(address.path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0755);
}

TEST_CASE("a unix socket that somebody serves, or is about to, is never taken away") {
  const TempFolder folder;
  const ListenAddress address = unix_address(folder / "app.sock");
  const UniqueFd fd = opened(address);
  for (const bool listening : {false, true}) {
    if (listening) REQUIRE(start_listening(fd.get()));
    const auto second = open_listening_socket(address);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::conflict);
    CHECK_THAT(second.error().message, Catch::Contains("already in use"));
  }
  CHECK(connect_error(address) == 0);
}

TEST_CASE("a regular file where a unix socket shall be is a conflict and stays") {
  const TempFolder folder;
  write_file(folder / "precious", "data");
  const auto fd = open_listening_socket(unix_address(folder / "precious"));
  REQUIRE_FALSE(fd);
  CHECK(fd.error().code == ErrorCode::conflict);
  CHECK(file_content(folder / "precious") == "data");
}

TEST_CASE("abstract unix sockets leave no file and conflict like others") {
  const ListenAddress address = unix_address("@clusterd-test-" + std::to_string(getpid()));
  const UniqueFd fd = opened(address);
  REQUIRE(start_listening(fd.get()));
  CHECK(connect_error(address) == 0);
  const auto second = open_listening_socket(address);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::conflict);
}

TEST_CASE("a unix socket has the mode asked for, and can be given another later") {
  const TempFolder folder;
  const ListenAddress address = unix_address(folder / "socket");
  const auto mode = [&] {
    struct stat about{};
    REQUIRE(stat(address.path.c_str(), &about) == 0);
    return about.st_mode & 0777;
  };
  const auto fd = open_listening_socket(address, {0600, {}, {}});
  REQUIRE(fd);
  CHECK(mode() == 0600);
  CHECK(set_socket_rights(address, {0660, {}, {}}));
  CHECK(mode() == 0660);
}

TEST_CASE("rights go to no link, no other file and no hard link") {
  const TempFolder folder;
  const ListenAddress address = unix_address(folder / "socket");
  const auto fd = open_listening_socket(address);
  REQUIRE(fd);
  REQUIRE(symlink(address.path.c_str(), (folder / "link").c_str()) == 0);
  CHECK_FALSE(set_socket_rights(unix_address(folder / "link"), {0666, {}, {}}));
  REQUIRE(link(address.path.c_str(), (folder / "twin").c_str()) == 0);
  CHECK_FALSE(set_socket_rights(address, {0666, {}, {}}));
}

TEST_CASE("an owner who is not known leaves no socket behind") {
  const TempFolder folder;
  const ListenAddress address = unix_address(folder / "socket");
  const auto fd = open_listening_socket(address, {std::nullopt, "no-such-user", {}});
  REQUIRE_FALSE(fd);
  CHECK(fd.error().message.find("no-such-user") != std::string::npos);
  CHECK(access(address.path.c_str(), F_OK) != 0);
}

}  // namespace
}  // namespace clusterd::test
