#include "daemon/system/server_end.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "daemon/system/socket_address.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

struct DiagRequest {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

// Port and address as inet_diag has them; false: neither IPv4 nor IPv6.
bool copy_end(const SocketAddress& end, __be16& port, __be32* address) {
  if (end.storage.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &end.storage, sizeof v4);
    port = v4.sin_port;
    std::memcpy(address, &v4.sin_addr, sizeof v4.sin_addr);
    return true;
  }
  if (end.storage.ss_family != AF_INET6) return false;
  sockaddr_in6 v6;
  std::memcpy(&v6, &end.storage, sizeof v6);
  port = v6.sin6_port;
  std::memcpy(address, &v6.sin6_addr, sizeof v6.sin6_addr);
  return true;
}

std::optional<DiagRequest> request_for(int client_fd) {
  SocketAddress mine;
  SocketAddress theirs;
  mine.length = theirs.length = sizeof mine.storage;
  if (getsockname(client_fd, mine.get(), &mine.length) != 0) return std::nullopt;
  if (getpeername(client_fd, theirs.get(), &theirs.length) != 0) return std::nullopt;
  DiagRequest request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = static_cast<__u8>(mine.storage.ss_family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0U;
  inet_diag_sockid& id = request.body.id;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  // Seen from the other end.
  if (!copy_end(theirs, id.idiag_sport, id.idiag_src) || !copy_end(mine, id.idiag_dport, id.idiag_dst))
    return std::nullopt;
  return request;
}

}  // namespace

std::optional<ino_t> server_end_inode(int client_fd) {
  const auto request = request_for(client_fd);
  if (!request) return std::nullopt;
  const UniqueFd netlink(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  if (!netlink || send(netlink.get(), &*request, sizeof *request, 0) < 0) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer;
  const ssize_t size = recv(netlink.get(), answer.data(), answer.size(), 0);
  nlmsghdr header;
  inet_diag_msg message;
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof message))) return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  std::memcpy(&message, answer.data() + NLMSG_HDRLEN, sizeof message);
  return message.idiag_inode;
}

}  // namespace clusterd
