#include "daemon/system/connection_table.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <unordered_set>

#include "daemon/system/caller_socket.h"
#include "daemon/system/procfs.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

constexpr std::uint32_t kOpenStates = 1U << TCP_ESTABLISHED | 1U << TCP_CLOSE_WAIT;
using Inodes = std::unordered_set<ino_t>;

// The kernel leaves out other local ports (inet_diag_dump_icsk): a machine may have a million connections.
bool ask_for_dump(int netlink, std::uint8_t family, std::uint16_t port) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 query;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.query.sdiag_family = family;
  request.query.sdiag_protocol = IPPROTO_TCP;
  request.query.idiag_states = kOpenStates;
  request.query.id.idiag_sport = htons(port);
  return send(netlink, &request, sizeof request, 0) == sizeof request;
}

// false: the dump is complete (or broken off).
bool read_part(int netlink, std::uint16_t port, Inodes& inodes) {
  alignas(nlmsghdr) std::array<char, 32768> buffer;
  const ssize_t received = recv(netlink, buffer.data(), buffer.size(), 0);
  if (received <= 0) return false;
  auto left = static_cast<std::uint32_t>(received);
  for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
       message = NLMSG_NEXT(message, left)) {
    if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) return false;
    const auto* found = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
    if (ntohs(found->id.idiag_sport) == port && found->idiag_inode != 0) inodes.insert(found->idiag_inode);
  }
  return true;
}

Inodes open_connections(std::span<const std::uint16_t> ports) {
  Inodes inodes;
  const UniqueFd netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return inodes;
  for (const std::uint16_t port : ports) {
    for (const std::uint8_t family : std::array<std::uint8_t, 2>{AF_INET, AF_INET6}) {
      if (!ask_for_dump(netlink.get(), family, port)) continue;
      while (read_part(netlink.get(), port, inodes)) {
      }
    }
  }
  return inodes;
}

bool is_silent(int socket, std::chrono::milliseconds silence) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  if (info.tcpi_state != TCP_ESTABLISHED) return false;
  // Who has heard something since it last said something may be working on the answer.
  if (info.tcpi_last_data_recv < info.tcpi_last_data_sent) return false;
  const auto quiet = info.tcpi_last_data_sent;
  int unread = 0;
  int unsent = 0;
  if (ioctl(socket, SIOCINQ, &unread) != 0 || ioctl(socket, SIOCOUTQ, &unsent) != 0) return false;
  return unread == 0 && unsent == 0 && std::chrono::milliseconds(quiet) >= silence;
}

}  // namespace

std::int64_t count_connections(std::span<const pid_t> pids, std::span<const std::uint16_t> ports) {
  if (pids.empty() || ports.empty()) return 0;
  const Inodes open = open_connections(ports);
  if (open.empty()) return 0;
  Inodes held;
  for (const pid_t pid : pids) {
    for_each_socket_of(pid, [&](ino_t inode, int) {
      if (open.contains(inode)) held.insert(inode);
      return true;
    });
  }
  return static_cast<std::int64_t>(held.size());
}

int end_silent_connections(std::span<const pid_t> pids, std::span<const std::uint16_t> ports,
                           std::chrono::milliseconds silence) {
  const Inodes open = open_connections(ports);
  if (open.empty()) return 0;
  int ended = 0;
  for (const pid_t pid : pids) {
    for_each_socket_of(pid, [&](ino_t inode, int fd) {
      if (!open.contains(inode)) return true;
      const auto socket = CallerSocket::open(pid, fd);
      const bool same = socket && socket->inode == inode;  // the number may be another socket's by now
      if (same && is_silent(socket->duplicate.get(), silence) &&
          shutdown(socket->duplicate.get(), SHUT_RD) == 0)
        ++ended;
      return true;
    });
  }
  return ended;
}

}  // namespace clusterd
