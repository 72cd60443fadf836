#include "daemon/node_socket_choice.h"

#include "daemon/listen_errno.h"

#include <catch2/catch.hpp>
#include <cerrno>

namespace clusterd {
namespace {

using Family = NodeQuery::Family;

NodeQuery query(Family family, std::optional<std::string> address, std::uint16_t port = 3000) {
  NodeQuery result;
  result.family = family;
  result.address = std::move(address);
  result.port = port;
  return result;
}

std::vector<std::string> addresses(const NodeQuery& asked) {
  std::vector<std::string> texts;
  for (const ListenAddress& address : node_addresses(asked)) texts.push_back(to_string(address));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("without an address every interface is meant, IPv6 first") {
  CHECK(addresses(query(Family::tcp4, std::nullopt)) == Texts{"*:3000", "0.0.0.0:3000"});
  CHECK(addresses(query(Family::udp4, std::nullopt)) == Texts{"0.0.0.0:3000"});
  CHECK(addresses(query(Family::udp6, "")) == Texts{"*:3000"});
}

TEST_CASE("addresses are those that other programs of the app would bind") {
  CHECK(addresses(query(Family::tcp4, "127.0.0.1")) == Texts{"127.0.0.1:3000"});
  CHECK(addresses(query(Family::tcp6, "::")) == Texts{"*:3000"});
  CHECK(addresses(query(Family::tcp6, "::1")) == Texts{"[::1]:3000"});
  NodeQuery only = query(Family::tcp6, "::");
  only.ipv6_only = true;
  CHECK(addresses(only) == Texts{"[::]:3000"});
}

TEST_CASE("paths, and abstract names that Node has made absolute") {
  CHECK(addresses(query(Family::unix_path, "/run/a.sock")) == Texts{"unix:/run/a.sock"});
  CHECK(addresses(query(Family::unix_path, std::string("/srv/app/\0name", 14))) == Texts{"unix:@name"});
}

TEST_CASE("nonsense has no address") {
  CHECK(addresses(query(Family::unknown, "127.0.0.1")).empty());
  CHECK(addresses(query(Family::tcp4, "localhost")).empty());
  CHECK(addresses(query(Family::tcp4, "::1")).empty());
}

TEST_CASE("only TCP ports with a number have a name that other programs share") {
  CHECK(is_in_listener_book(query(Family::tcp6, "::")));
  CHECK_FALSE(is_in_listener_book(query(Family::tcp4, std::nullopt, 0)));
  CHECK_FALSE(is_in_listener_book(query(Family::udp4, std::nullopt)));
  CHECK_FALSE(is_in_listener_book(query(Family::unix_path, "/a")));
}

TEST_CASE("the code of the error event says what was wrong") {
  CHECK(listen_errno({ErrorCode::conflict, ""}) == EADDRINUSE);
  CHECK(listen_errno({ErrorCode::denied, ""}) == EACCES);
  CHECK(listen_errno({ErrorCode::not_found, ""}) == ENOENT);
  CHECK(listen_errno({ErrorCode::usage, ""}) == EINVAL);
  CHECK(listen_errno({ErrorCode::config, ""}) == EADDRNOTAVAIL);
}

}  // namespace
}  // namespace clusterd
