#include "daemon/system/caller_socket.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "daemon/system/socket_address.h"

namespace clusterd {
namespace {

#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif

bool same_namespace(pid_t process, const char* kind) {
  struct stat ours, theirs;
  const std::string path = "/proc/" + std::to_string(process) + "/ns/" + kind;
  if (stat((std::string("/proc/self/ns/") + kind).c_str(), &ours) != 0) return false;
  if (stat(path.c_str(), &theirs) != 0) return false;
  return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

std::optional<SocketAddress> read_remote(pid_t process, RemoteAddress where) {
  SocketAddress address;
  if (where.length < sizeof(sa_family_t) || where.length > sizeof address.storage) return std::nullopt;
  const auto size = static_cast<std::size_t>(where.length);
  iovec local{&address.storage, size};
  iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(where.pointer)), size};
  if (process_vm_readv(process, &local, 1, &remote, 1, 0) != static_cast<ssize_t>(size)) return std::nullopt;
  address.length = static_cast<socklen_t>(size);
  return address;
}

bool is_bound(int fd) {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (getsockname(fd, address.get(), &address.length) != 0) return true;
  const auto local = from_socket_address(address.storage, address.length);
  return !local || local->port != 0;
}

bool is_wildcard(const ListenAddress& address) {
  return std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
}

// Touching a file of a user's own file system could take as long as that user likes; naming it does not.
bool is_socket(pid_t process, int fd) {
  std::error_code unreadable;
  const std::string link = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(fd);
  return std::filesystem::read_symlink(link, unreadable).string().starts_with("socket:[");
}

}  // namespace

std::optional<CallerSocket> CallerSocket::open(pid_t process, int fd) {
  if (!is_socket(process, fd)) return std::nullopt;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd) return std::nullopt;
  CallerSocket socket;
  socket.duplicate.reset(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), fd, 0)));
  struct stat about;
  if (!socket.duplicate || fstat(socket.duplicate.get(), &about) != 0 || !S_ISSOCK(about.st_mode))
    return std::nullopt;
  socket.inode = about.st_ino;
  return socket;
}

int CallerSocket::option(int level, int name) const {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(duplicate.get(), level, name, &value, &length) == 0 ? value : -1;
}

bool CallerSocket::replaceable() const {
  const int domain = option(SOL_SOCKET, SO_DOMAIN);
  const int protocol = option(SOL_SOCKET, SO_PROTOCOL);
  if (domain != AF_INET && domain != AF_INET6) return false;
  if (option(SOL_SOCKET, SO_TYPE) != SOCK_STREAM) return false;
  // Go asks for MPTCP since 1.24 and is content with TCP, as it is on kernels without the former.
  if (protocol != IPPROTO_TCP && protocol != IPPROTO_MPTCP) return false;
  if (option(SOL_SOCKET, SO_BINDTOIFINDEX) > 0) return false;
  if (option(SOL_IP, IP_TRANSPARENT) > 0 || option(SOL_IP, IP_FREEBIND) > 0) return false;
  return !is_bound(duplicate.get());
}

std::optional<ListenAddress> read_bind_address(pid_t process, RemoteAddress where,
                                               const CallerSocket& socket) {
  auto raw = read_remote(process, where);
  if (!raw) return std::nullopt;
  const int domain = socket.option(SOL_SOCKET, SO_DOMAIN);
  // The kernel takes AF_UNSPEC for AF_INET where the address is the wildcard, for very old programs.
  const bool unspecified = domain == AF_INET && raw->storage.ss_family == AF_UNSPEC;
  if (unspecified) raw->storage.ss_family = AF_INET;
  if (raw->storage.ss_family != domain) return std::nullopt;
  auto address = from_socket_address(raw->storage, raw->length);
  if (!address || address->port == 0) return std::nullopt;
  if (unspecified && !is_wildcard(*address)) return std::nullopt;
  if (address->family == AddressFamily::tcp6) {
    const bool v6_only = socket.option(IPPROTO_IPV6, IPV6_V6ONLY) != 0;
    if (v6_only && can_be_dual_stack(*address) && !is_wildcard(*address)) return std::nullopt;
    address->dual_stack = !v6_only && can_be_dual_stack(*address);
  }
  return address;
}

bool in_our_network(pid_t process) { return same_namespace(process, "net"); }

bool may_bind_port(pid_t process, const TaskStatus& status, std::uint16_t port) {
  const std::string text = read_proc_file("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  const long first_free = text.empty() ? 1024 : std::strtol(text.c_str(), nullptr, 10);
  if (port >= first_free) return true;
  const bool capable = (status.effective_capabilities >> CAP_NET_BIND_SERVICE & 1) != 0;
  return capable && same_namespace(process, "user");
}

bool is_close_on_exec(pid_t process, int fd) {
  const std::string text =
      read_proc_file("/proc/" + std::to_string(process) + "/fdinfo/" + std::to_string(fd));
  constexpr std::string_view kKey = "flags:";
  const std::size_t at = text.find(kKey);
  if (at == text.npos) return true;
  return (std::strtoul(text.c_str() + at + kKey.size(), nullptr, 8) & O_CLOEXEC) != 0;
}

}  // namespace clusterd
