#include "daemon/system/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace clusterd {
namespace {

template <class Address>
Address as(const sockaddr_storage& storage) {
  Address address{};
  std::memcpy(&address, &storage, sizeof address);
  return address;
}

SocketAddress make(const void* address, std::size_t size) {
  SocketAddress made;
  std::memcpy(&made.storage, address, size);
  made.length = static_cast<socklen_t>(size);
  return made;
}

SocketAddress tcp4(const ListenAddress& address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(address.port);
  std::memcpy(&in.sin_addr, address.ip.data(), sizeof in.sin_addr);
  return make(&in, sizeof in);
}

SocketAddress tcp6(const ListenAddress& address) {
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(address.port);
  in.sin6_scope_id = address.scope_id;
  std::memcpy(&in.sin6_addr, address.ip.data(), sizeof in.sin6_addr);
  return make(&in, sizeof in);
}

Result<SocketAddress> unix_stream(const ListenAddress& address) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  constexpr std::size_t kPathBytesMax = sizeof un.sun_path - 1;
  if (address.path.empty() || address.path.size() > kPathBytesMax) {
    return fail(ErrorCode::config, to_string(address) + ": the path of a Unix socket may have " +
                                       std::to_string(kPathBytesMax) + " bytes, this one has " +
                                       std::to_string(address.path.size()));
  }
  std::memcpy(un.sun_path, address.path.data(), address.path.size());
  const std::size_t start = offsetof(sockaddr_un, sun_path);
  if (address.path[0] != '@') return make(&un, start + address.path.size() + 1);
  un.sun_path[0] = 0;  // the abstract name space: as long as the length says, no NUL at the end
  return make(&un, start + address.path.size());
}

std::optional<ListenAddress> from_tcp4(const sockaddr_storage& storage) {
  const auto in = as<sockaddr_in>(storage);
  ListenAddress address{.family = AddressFamily::tcp4, .port = ntohs(in.sin_port), .path = {}};
  std::memcpy(address.ip.data(), &in.sin_addr, sizeof in.sin_addr);
  return address;
}

std::optional<ListenAddress> from_tcp6(const sockaddr_storage& storage) {
  const auto in = as<sockaddr_in6>(storage);
  ListenAddress address{.family = AddressFamily::tcp6, .port = ntohs(in.sin6_port), .path = {}};
  std::memcpy(address.ip.data(), &in.sin6_addr, sizeof in.sin6_addr);
  // Elsewhere the kernel ignores the scope, and programs leave garbage in it.
  if (IN6_IS_ADDR_LINKLOCAL(&in.sin6_addr)) address.scope_id = in.sin6_scope_id;
  return address;
}

std::optional<ListenAddress> from_unix(const sockaddr_storage& storage, std::size_t length) {
  const auto un = as<sockaddr_un>(storage);
  const std::size_t start = offsetof(sockaddr_un, sun_path);
  if (length <= start || length > sizeof un) return std::nullopt;
  ListenAddress address{.family = AddressFamily::unix_stream, .path = {un.sun_path, length - start}};
  if (un.sun_path[0] == 0) {
    address.path[0] = '@';
  } else {
    address.path.resize(std::strlen(address.path.c_str()));
  }
  return address;
}

}  // namespace

Result<SocketAddress> to_socket_address(const ListenAddress& address) {
  switch (address.family) {
    case AddressFamily::tcp4:
      return tcp4(address);
    case AddressFamily::tcp6:
      return tcp6(address);
    case AddressFamily::unix_stream:
      return unix_stream(address);
  }
  return fail(ErrorCode::failed, "an address of no known family");
}

std::optional<ListenAddress> from_socket_address(const sockaddr_storage& storage, std::size_t length) {
  constexpr std::size_t kIn6BytesMin = 24;  // SIN6_LEN_RFC2133: without a scope
  switch (storage.ss_family) {
    case AF_INET:
      return length < sizeof(sockaddr_in) ? std::nullopt : from_tcp4(storage);
    case AF_INET6:
      return length < kIn6BytesMin ? std::nullopt : from_tcp6(storage);
    case AF_UNIX:
      return from_unix(storage, length);
    default:
      return std::nullopt;
  }
}

std::optional<ListenAddress> parse_ip(const std::string& text, AddressFamily family) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_family = family == AddressFamily::tcp6 ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(text.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) return std::nullopt;
  SocketAddress address;
  address.length = found->ai_addrlen;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return from_socket_address(address.storage, address.length);
}

bool can_be_dual_stack(const ListenAddress& address) {
  if (address.family != AddressFamily::tcp6) return false;
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool wildcard = std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
  return wildcard || std::equal(kMapped.begin(), kMapped.end(), address.ip.begin());
}

}  // namespace clusterd
