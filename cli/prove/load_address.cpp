#include "cli/prove/load_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "config/listen_address.h"

namespace clusterd::cli {
namespace {

constexpr std::array<std::uint8_t, 4> kLoopback4{127, 0, 0, 1};

bool is_any(const ListenAddress& address) {
  return std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
}

template <class Address>
void store(LoadAddress& target, const Address& address, std::size_t length) {
  std::memcpy(&target.storage, &address, length);
  target.length = static_cast<socklen_t>(length);
}

void store_tcp4(LoadAddress& target, const ListenAddress& address, const std::uint8_t* ip) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(address.port);
  std::memcpy(&where.sin_addr, ip, 4);
  store(target, where, sizeof where);
}

void store_tcp6(LoadAddress& target, const ListenAddress& address) {
  sockaddr_in6 where{};
  where.sin6_family = AF_INET6;
  where.sin6_port = htons(address.port);
  where.sin6_scope_id = address.scope_id;
  if (is_any(address)) {
    where.sin6_addr = in6addr_loopback;
  } else {
    std::memcpy(&where.sin6_addr, address.ip.data(), address.ip.size());
  }
  store(target, where, sizeof where);
}

Result<> store_unix(LoadAddress& target, const ListenAddress& address) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof where.sun_path) {
    return fail(ErrorCode::failed, "the socket path " + address.path + " is longer than the system allows");
  }
  std::memcpy(where.sun_path, address.path.data(), address.path.size());
  bool is_abstract = address.path.starts_with('@');
  if (is_abstract) where.sun_path[0] = '\0';
  store(target, where, offsetof(sockaddr_un, sun_path) + address.path.size() + (is_abstract ? 0 : 1));
  return {};
}

}  // namespace

Result<LoadAddress> load_address(std::string_view text) {
  auto address = parse_listen_address(text);
  if (!address) return fail(address.error());
  LoadAddress target;
  target.name = text;
  target.host = "localhost";
  if (address->family == AddressFamily::unix_stream) {
    if (auto stored = store_unix(target, *address); !stored) return fail(stored.error());
    return target;
  }
  target.port = address->port;
  target.host += ":" + std::to_string(address->port);
  if (address->family == AddressFamily::tcp4) {
    store_tcp4(target, *address, is_any(*address) ? kLoopback4.data() : address->ip.data());
  } else if (address->dual_stack && is_any(*address)) {
    store_tcp4(target, *address, kLoopback4.data());  // works without IPv6 as well
  } else {
    store_tcp6(target, *address);
  }
  return target;
}

}  // namespace clusterd::cli
