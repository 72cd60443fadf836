// The kernel's sockaddr and our ListenAddress, in both directions.
//
// Used by listening_socket, bind_takeover and the sockets of Node programs. Pure but for the types and the
// names of interfaces.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <string>

#include "common/result.h"
#include "config/listen_address.h"

namespace clusterd {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// Fails for a unix path that does not fit (107 bytes).
Result<SocketAddress> to_socket_address(const ListenAddress& address);

// Nothing for families other than IPv4, IPv6 and unix, for truncated ones and for unnamed unix sockets.
// dual_stack stays false: it is an option of the socket, not part of its address.
std::optional<ListenAddress> from_socket_address(const sockaddr_storage& storage, std::size_t length);

// The numbers of an IPv4 or IPv6 address, "fe80::1%eth0" included; nothing for names, which are never looked
// up. The port is 0.
std::optional<ListenAddress> parse_ip(const std::string& text, AddressFamily family);

// Every interface, or an IPv4 address in IPv6 clothes: the only ones where IPV6_V6ONLY makes a difference.
bool can_be_dual_stack(const ListenAddress& address);

}  // namespace clusterd
