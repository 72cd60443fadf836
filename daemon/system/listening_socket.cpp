#include "daemon/system/listening_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/system/port_holder.h"
#include "daemon/system/procfs.h"
#include "daemon/system/socket_address.h"
#include "daemon/system/system_error.h"
#include "daemon/system/users.h"

namespace clusterd {
namespace {

constexpr mode_t kUnixSocketMode = 0755;

mode_t mode_of(const SocketRights& rights) { return rights.mode.value_or(kUnixSocketMode); }
bool changes_owner(const SocketRights& rights) { return !rights.owner.empty() || !rights.group.empty(); }

bool is_wildcard(const ListenAddress& address) {
  return std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
}

Result<void> set_flag(int fd, int level, int option, int value) {
  if (setsockopt(fd, level, option, &value, sizeof value) == 0) return {};
  return system_error("cannot set an option of a listening socket", errno);
}

std::unexpected<Error> address_in_use(const ListenAddress& address) {
  std::string sentence = to_string(address) + " is already in use";
  const bool tcp = address.family != AddressFamily::unix_stream;
  const std::string holder = tcp ? describe_port_holder(address.port) : std::string();
  if (!holder.empty()) sentence += " by " + holder;
  return fail(ErrorCode::conflict, sentence);
}

std::unexpected<Error> bind_error(const ListenAddress& address, int error) {
  const std::string name = to_string(address);
  const bool tcp = address.family != AddressFamily::unix_stream;
  if (error == EADDRINUSE) return address_in_use(address);
  if (error == EADDRNOTAVAIL) {
    return fail(ErrorCode::config, name + ": no network interface of this machine has that address");
  }
  if (error == EACCES && tcp) {
    return fail(ErrorCode::denied, name + ": ports this low need root, CAP_NET_BIND_SERVICE or a lower " +
                                       "net.ipv4.ip_unprivileged_port_start");
  }
  return system_error("cannot listen on " + name, error);
}

// /proc/net/unix lists every socket that is bound, listening or not, by the path its owner gave.
bool bound_by_somebody(const std::string& path) {
  const std::string table = read_proc_file("/proc/net/unix");
  return table.find(" " + path + "\n") != table.npos;
}

// Left behind by a process that is gone: nobody accepts, and nobody is about to.
bool is_stale(const ListenAddress& address, const SocketAddress& where) {
  struct stat about;
  if (lstat(address.path.c_str(), &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
  const UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe || connect(probe.get(), where.get(), where.length) == 0 || errno != ECONNREFUSED) return false;
  return !bound_by_somebody(address.path);
}

// The file has its mode from the first moment, and no path is touched a second time: its folder may belong to
// a user who would put something else there. The daemon has one thread that makes files.
int bind_with_mode(int fd, const SocketAddress& where, mode_t mode) {
  const mode_t before = umask(0777 & ~mode);
  const int bound = bind(fd, where.get(), where.length);
  const int error = errno;
  umask(before);
  errno = error;
  return bound;
}

Result<void> bind_unix(int fd, const ListenAddress& address, const SocketAddress& where,
                       const SocketRights& rights) {
  const bool is_file = address.path[0] != '@';
  const mode_t mode = changes_owner(rights) ? 0 : mode_of(rights);
  int bound = bind_with_mode(fd, where, mode);
  if (bound != 0 && errno == EADDRINUSE && is_file) {
    struct stat about;
    if (lstat(address.path.c_str(), &about) == 0 && !S_ISSOCK(about.st_mode)) {
      return fail(ErrorCode::conflict,
                  address.path + " exists and is not a socket: remove it or choose another path");
    }
    if (!is_stale(address, where)) return address_in_use(address);
    unlink(address.path.c_str());
    bound = bind_with_mode(fd, where, mode);
  }
  if (bound != 0) return bind_error(address, errno);
  if (!is_file || !changes_owner(rights)) return {};
  auto set = set_socket_rights(address, rights);
  if (!set) unlink(address.path.c_str());
  return set;
}

Result<void> bind_tcp(int fd, const ListenAddress& address, const SocketAddress& where,
                      LaneSocket::Role role) {
  if (auto set = set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1); !set) return set;
  if (role == LaneSocket::Role::further) {
    if (auto set = set_flag(fd, SOL_SOCKET, SO_REUSEPORT, 1); !set) return set;
  }
  if (address.family == AddressFamily::tcp6) {
    const int v6_only = address.dual_stack ? 0 : 1;
    if (auto set = set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, v6_only); !set) return set;
  }
  if (bind(fd, where.get(), where.length) != 0) return bind_error(address, errno);
  if (role == LaneSocket::Role::first_of_group) return set_flag(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  return {};
}

// A port that the kernel picked itself is forgotten when the socket stops listening, one that was asked for
// is not. So it picks one for a socket that holds it (two may be bound to one port while none listens), and
// then it is asked for.
Result<UniqueFd> open_on_picked_port(ListenAddress address, const SocketRights& rights, LaneSocket how) {
  const auto holder = open_listening_socket(address);
  if (!holder) return fail(holder.error());
  const auto picked = local_address(holder->get());
  if (!picked) return fail(picked.error());
  address.port = picked->port;
  return open_listening_socket(address, rights, std::move(how));
}

}  // namespace

int socket_domain(AddressFamily family) {
  switch (family) {
    case AddressFamily::tcp4:
      return AF_INET;
    case AddressFamily::tcp6:
      return AF_INET6;
    case AddressFamily::unix_stream:
      return AF_UNIX;
  }
  return AF_UNSPEC;
}

Result<UniqueFd> open_listening_socket(const ListenAddress& address, const SocketRights& rights,
                                       LaneSocket how) {
  const bool local = address.family == AddressFamily::unix_stream;
  if (!local && address.port == 0 && how.role == LaneSocket::Role::first_of_group) {
    return open_on_picked_port(address, rights, std::move(how));
  }
  const auto where = to_socket_address(address);
  if (!where) return fail(where.error());
  UniqueFd fd = std::move(how.prepared);
  if (!fd) fd.reset(socket(socket_domain(address.family), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd && errno == EAFNOSUPPORT && address.dual_stack && is_wildcard(address)) {
    return open_listening_socket({.family = AddressFamily::tcp4, .port = address.port, .path = {}}, rights,
                                 {how.role, {}});
  }
  if (!fd) return system_error("cannot listen on " + to_string(address), errno);
  const auto bound =
      local ? bind_unix(fd.get(), address, *where, rights) : bind_tcp(fd.get(), address, *where, how.role);
  if (!bound) return fail(bound.error());
  return fd;
}

Result<void> set_socket_rights(const ListenAddress& address, const SocketRights& rights) {
  const auto what = "cannot set the rights of " + address.path;
  const UniqueFd file(open(address.path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return system_error(what, errno);
  struct stat about;
  if (fstat(file.get(), &about) != 0) return system_error(what, errno);
  // A hard link of somebody else's socket, put there by the owner of the folder, is not ours to give away.
  if (!S_ISSOCK(about.st_mode) || about.st_nlink != 1)
    return fail(ErrorCode::conflict, what + ": another file took its place");
  if (changes_owner(rights)) {
    const auto owner = resolve_owner(rights.owner, rights.group);
    if (!owner) return fail(owner.error().code, address.path + ": " + owner.error().message);
    if (fchownat(file.get(), "", owner->uid, owner->gid, AT_EMPTY_PATH) != 0)
      return system_error(what, errno);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  if (chmod(path.c_str(), mode_of(rights)) != 0) return system_error(what, errno);
  return {};
}

Result<void> start_listening(int fd) {
  if (listen(fd, kListenBacklog) == 0) return {};
  const int error = errno;
  const auto address = local_address(fd);
  if (!address) return system_error("cannot listen", error);
  return bind_error(*address, error);
}

void stop_listening(int fd) { shutdown(fd, SHUT_RD); }

// tcp_get_info() of a listener: the length of its queue stands where a connection has its unacknowledged
// segments.
int accept_queue_length(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return static_cast<int>(info.tcpi_unacked);
}

Result<ListenAddress> local_address(int fd) {
  SocketAddress where;
  where.length = sizeof where.storage;
  if (getsockname(fd, where.get(), &where.length) != 0)
    return system_error("cannot read a socket's address", errno);
  auto address = from_socket_address(where.storage, where.length);
  if (!address) return fail(ErrorCode::failed, "the socket has no address");
  if (address->family == AddressFamily::tcp6) {
    int v6_only = 1;
    socklen_t length = sizeof v6_only;
    getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, &length);
    address->dual_stack = v6_only == 0;
  }
  return std::move(*address);
}

}  // namespace clusterd
