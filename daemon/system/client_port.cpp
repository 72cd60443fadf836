#include "daemon/system/client_port.h"

#include <sys/socket.h>

#include "daemon/system/listening_socket.h"

namespace clusterd {

std::uint16_t bind_any_port(int fd) {
  int domain = 0;
  socklen_t length = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) return 0;
  if (domain != AF_INET && domain != AF_INET6) return 0;
  sockaddr_storage any{};
  any.ss_family = static_cast<sa_family_t>(domain);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) return 0;
  const auto bound = local_address(fd);
  return bound ? bound->port : std::uint16_t{0};
}

}  // namespace clusterd
