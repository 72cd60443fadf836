#include "cli/prove/load_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

using namespace clusterd::cli;

namespace {

std::string ip_of(const LoadAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, text, sizeof text);
  }
  return text;
}

}  // namespace

TEST_CASE("wildcards are reached over the loopback interface") {
  CHECK(ip_of(*load_address("0.0.0.0:3000")) == "127.0.0.1");
  CHECK(ip_of(*load_address("*:3000")) == "127.0.0.1");
  CHECK(ip_of(*load_address("[::]:3000")) == "::1");
  CHECK(ip_of(*load_address("127.0.0.2:3000")) == "127.0.0.2");
  CHECK(ip_of(*load_address("[::1]:3000")) == "::1");
  auto address = load_address("*:3000");
  CHECK(ntohs(reinterpret_cast<const sockaddr_in&>(address->storage).sin_port) == 3000);
  CHECK(address->host == "localhost:3000");
}

TEST_CASE("Unix sockets, by path and abstract") {
  auto by_path = load_address("unix:/run/a.sock");
  REQUIRE(by_path);
  const auto& path = reinterpret_cast<const sockaddr_un&>(by_path->storage);
  CHECK(std::string(path.sun_path) == "/run/a.sock");
  auto abstract = load_address("unix:@name");
  REQUIRE(abstract);
  const auto& name = reinterpret_cast<const sockaddr_un&>(abstract->storage);
  CHECK(abstract->length == offsetof(sockaddr_un, sun_path) + 5);
  CHECK(std::string(name.sun_path, 5) == std::string("\0name", 5));
  CHECK_FALSE(load_address("unix:/" + std::string(200, 'a')));
}
