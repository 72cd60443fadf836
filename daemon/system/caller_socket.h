// CallerSocket: a socket of another process, above all the one on which it is just calling bind() or
// listen().
//
// Used by bind_takeover while the caller sleeps in the kernel, and by connection_table. It is a duplicate of
// the other process's descriptor, so options read here are the real ones. Needs ptrace rights over the
// process: same user, or root. Sources: pidfd_open(2), pidfd_getfd(2), process_vm_readv(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "config/listen_address.h"
#include "daemon/system/procfs.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct CallerSocket {
  UniqueFd duplicate;
  ino_t inode = 0;

  // Empty if the descriptor is no socket, or out of reach.
  static std::optional<CallerSocket> open(pid_t process, int fd);

  int option(int level, int name) const;  // -1 if it has none of that name

  // A TCP or MPTCP socket that is not bound yet and asks for nothing a replacement could not give.
  bool replaceable() const;
};

// Where the sockaddr in the caller's memory lies.
struct RemoteAddress {
  std::uint64_t pointer = 0;
  std::uint64_t length = 0;
};

// The address in the form that two instances of one app have in common: dual_stack only where it makes a
// difference. Empty: nothing to take over (port 0, another family than the socket's, nonsense).
std::optional<ListenAddress> read_bind_address(pid_t process, RemoteAddress where,
                                               const CallerSocket& socket);

// Whether both see the same interfaces and ports.
bool in_our_network(pid_t process);

bool may_bind_port(pid_t process, const TaskStatus& status, std::uint16_t port);

// Whether the caller's descriptor is closed on exec.
bool is_close_on_exec(pid_t process, int fd);

}  // namespace clusterd
