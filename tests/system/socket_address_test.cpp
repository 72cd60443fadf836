#include "daemon/system/socket_address.h"

#include <netinet/in.h>
#include <sys/un.h>

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

ListenAddress unix_address(std::string path) {
  return {.family = AddressFamily::unix_stream, .path = std::move(path)};
}

TEST_CASE("addresses survive the way to the kernel's form and back") {
  ListenAddress loopback6{.family = AddressFamily::tcp6, .port = 443, .path = {}};
  loopback6.ip[15] = 1;
  ListenAddress link_local{
      .family = AddressFamily::tcp6, .ip = {0xfe, 0x80}, .scope_id = 3, .port = 1, .path = {}};
  const ListenAddress all[] = {
      {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = 65535, .path = {}},
      {.family = AddressFamily::tcp6, .port = 80, .path = {}},
      loopback6,
      link_local,
      unix_address("/run/a.sock"),
      unix_address("@name"),
      unix_address("/" + std::string(106, 'x')),
  };
  for (const ListenAddress& address : all) {
    const auto kernel = to_socket_address(address);
    REQUIRE(kernel);
    CHECK(from_socket_address(kernel->storage, kernel->length) == address);
  }
}

TEST_CASE("a unix path of 108 bytes is refused with the limit in the sentence") {
  const auto kernel = to_socket_address(unix_address("/" + std::string(107, 'x')));
  REQUIRE_FALSE(kernel);
  CHECK_THAT(kernel.error().message, Catch::Contains("107"));
}

TEST_CASE("a scope outside link-local addresses is ignored as the kernel does") {
  ListenAddress address{.family = AddressFamily::tcp6, .scope_id = 7, .port = 80, .path = {}};
  const auto kernel = to_socket_address(address);
  address.scope_id = 0;
  CHECK(from_socket_address(kernel->storage, kernel->length) == address);
}

TEST_CASE("truncated and foreign addresses give nothing") {
  sockaddr_storage storage{};
  for (const int family : {AF_INET, AF_INET6, AF_UNIX}) {
    storage.ss_family = static_cast<sa_family_t>(family);
    CHECK_FALSE(from_socket_address(storage, sizeof(sa_family_t)));
  }
  storage.ss_family = AF_NETLINK;
  CHECK_FALSE(from_socket_address(storage, sizeof storage));
}

TEST_CASE("numbers of addresses are read, names are not looked up") {
  CHECK(to_string(parse_ip("127.0.0.1", AddressFamily::tcp4).value()) == "127.0.0.1:0");
  CHECK(to_string(parse_ip("::1", AddressFamily::tcp6).value()) == "[::1]:0");
  CHECK(parse_ip("fe80::1%lo", AddressFamily::tcp6)->scope_id > 0);
  for (const char* text : {"localhost", "::1", "", "127.0.0.1 x"})
    CHECK_FALSE(parse_ip(text, AddressFamily::tcp4));
  CHECK_FALSE(parse_ip("127.0.0.1", AddressFamily::tcp6));
}

TEST_CASE("IPv4 clients can be served on the IPv6 wildcard and on mapped addresses only") {
  CHECK(can_be_dual_stack(parse_ip("::", AddressFamily::tcp6).value()));
  CHECK(can_be_dual_stack(parse_ip("::ffff:127.0.0.1", AddressFamily::tcp6).value()));
  CHECK_FALSE(can_be_dual_stack(parse_ip("::1", AddressFamily::tcp6).value()));
  CHECK_FALSE(can_be_dual_stack(parse_ip("0.0.0.0", AddressFamily::tcp4).value()));
}

}  // namespace
}  // namespace clusterd
