#include "daemon/system/datagram_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "daemon/system/socket_address.h"
#include "daemon/system/system_error.h"

namespace clusterd {

Result<UniqueFd> open_datagram_socket(const ListenAddress& address, DatagramOptions options) {
  const std::string name = "udp " + to_string(address);
  const auto where = to_socket_address(address);
  if (!where) return fail(where.error());
  const bool ipv6 = address.family == AddressFamily::tcp6;
  UniqueFd fd(socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd && errno == EAFNOSUPPORT) return fail(ErrorCode::config, name + ": this machine has no IPv6");
  if (!fd) return system_error("cannot open " + name, errno);
  const int yes = 1;
  const int only = options.ipv6_only ? 1 : 0;
  if (options.reuse_address) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (ipv6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  if (bind(fd.get(), where->get(), where->length) == 0) return fd;
  if (errno == EADDRINUSE) return fail(ErrorCode::conflict, name + " is already in use");
  if (errno == EADDRNOTAVAIL) {
    return fail(ErrorCode::config, name + ": no network interface of this machine has that address");
  }
  return system_error("cannot bind " + name, errno);
}

}  // namespace clusterd
