#include "daemon/system/taken_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "daemon/system/caller_socket.h"
#include "daemon/system/listening_socket.h"
#include "daemon/system/process_identity.h"
#include "daemon/system/procfs.h"
#include "daemon/system/socket_address.h"

namespace clusterd {
namespace {

bool listens_on_tcp(const CallerSocket& socket) {
  const int domain = socket.option(SOL_SOCKET, SO_DOMAIN);
  if (domain != AF_INET && domain != AF_INET6) return false;
  return socket.option(SOL_SOCKET, SO_TYPE) == SOCK_STREAM && socket.option(SOL_SOCKET, SO_ACCEPTCONN) == 1;
}

// As the bind() of a program that is started with the same settings will have it.
std::optional<ListenAddress> address_of(const CallerSocket& socket) {
  auto address = local_address(socket.duplicate.get());
  if (!address) return std::nullopt;
  const bool v6_only = socket.option(IPPROTO_IPV6, IPV6_V6ONLY) != 0;
  address->dual_stack = address->family == AddressFamily::tcp6 && !v6_only && can_be_dual_stack(*address);
  return *address;
}

std::unexpected<Error> refused(pid_t pid, ErrorCode code, const std::string& why) {
  return fail(code, "cannot take the sockets of process " + std::to_string(pid) + ": " + why);
}

// Root of whatever may not be dumped, of which only root takes anything.
uid_t owner_of(pid_t pid) {
  struct stat about{};
  return stat(proc_path(pid, "").c_str(), &about) == 0 ? about.st_uid : static_cast<uid_t>(-1);
}

Result<> take_from(pid_t pid, std::set<ino_t>& seen, std::vector<TakenSocket>& taken) {
  if (!process_exists(pid)) return refused(pid, ErrorCode::not_found, "there is no such process");
  if (!in_our_network(pid))
    return refused(pid, ErrorCode::denied, "it is another user's, or in another network");
  bool denied = false;
  bool opened = false;
  for_each_socket_of(pid, [&](ino_t inode, int fd) {
    if (!seen.insert(inode).second) return true;
    auto socket = CallerSocket::open(pid, fd);
    opened |= socket.has_value();
    denied |= !socket && process_exists(pid);
    if (!socket || socket->inode != inode || !listens_on_tcp(*socket)) return true;
    if (const auto address = address_of(*socket)) taken.push_back({std::move(socket->duplicate), *address});
    return true;
  });
  if (opened || !denied) return {};
  return refused(pid, ErrorCode::denied,
                 "the kernel does not allow it; run the daemon as root, or see kernel.yama.ptrace_scope");
}

}  // namespace

Result<std::vector<TakenSocket>> take_listening_sockets(const std::vector<pid_t>& pids) {
  std::vector<TakenSocket> taken;
  std::set<ino_t> seen;
  for (const pid_t pid : pids) {
    const bool is_first = pid == pids.front();
    if (!is_first && owner_of(pid) != owner_of(pids.front())) continue;
    auto got = take_from(pid, seen, taken);
    if (!got && is_first) return fail(got.error());
  }
  for (const TakenSocket& one : taken) {
    if (std::ranges::count(taken, one.address, &TakenSocket::address) < 2) continue;
    return fail(ErrorCode::conflict, "there are several sockets for " + to_string(one.address) +
                                         " (SO_REUSEPORT), each with connections of its own that wait");
  }
  return taken;
}

}  // namespace clusterd
