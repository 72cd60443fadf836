// BindTakeover: answers bind() and listen() of one launched process tree.
//
// clusterd-exec installs a seccomp filter whose notifications arrive here; one object per launch, owned by
// the supervisor, which decides the policy: it looks at each SocketCall and answers it by exactly one of
// pass, refuse, succeed, substitute. The caller's thread sleeps in the kernel until then. Works for static
// binaries and behind shells, because the filter is inherited by fork and exec.
//
// When the last copy of the fd closes, bind and listen of a surviving tree fail with ENOSYS.
// Not a security boundary: the memory that was read may change before the kernel reads it again. Nothing here
// ever blocks; that a task is gone by the time it gets its answer is normal and silent.
// Sources: seccomp_unotify(2), pidfd_getfd(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "common/result.h"
#include "config/listen_address.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct SocketCall {
  enum class Kind { bind, listen };

  Kind kind = Kind::bind;
  std::uint64_t cookie = 0;  // the kernel's id of this notification
  pid_t pid = 0;             // the process (not the thread) that called
  int fd = -1;               // its descriptor number

  // bind only: a TCP address that may be taken over. Empty means pass it on: not TCP, port 0, another network
  // name space, unix, already bound, or unreadable. dual_stack is what the caller's own socket is set to.
  std::optional<ListenAddress> address;

  bool reuse_port = false;              // the caller's socket has SO_REUSEPORT
  bool privileged_port_allowed = true;  // the caller itself might bind that port
  ino_t socket_inode = 0;  // identity of the caller's socket (same as fstat of a duplicate); 0: unknown
};

class BindTakeover {
 public:
  enum class Receive {
    call,     // `call` is filled in and waits for an answer
    nothing,  // no call is pending (any more)
    closed,   // the last process of the tree has gone
  };

  explicit BindTakeover(UniqueFd notify_fd);

  int fd() const { return notify_.get(); }

  // Non-blocking; call until `nothing` when fd() is readable.
  Receive receive(SocketCall& call);

  // The kernel executes the call as the program wrote it.
  void pass(const SocketCall& call);

  // The program sees -1 and this errno.
  void refuse(const SocketCall& call, int error);

  // The program sees 0, nothing is executed: listen() on a socket that the daemon already made listen, whose
  // backlog the program must not shrink.
  void succeed(const SocketCall& call);

  // Puts our socket in the place of the program's and answers 0. The descriptor keeps its close-on-exec flag;
  // options the program had set on its own socket are set on ours. O_NONBLOCK is raised on ours but never
  // lowered: it belongs to all instances, and an event loop that suddenly blocks in accept() is worse than a
  // blocking server that sees EAGAIN. On failure the call is still unanswered.
  Result<void> substitute(const SocketCall& call, int our_fd);

 private:
  bool still_waiting(std::uint64_t cookie) const;
  void answer(const SocketCall& call, int error, std::uint32_t flags);

  UniqueFd notify_;
};

// One of these processes holds a descriptor of that socket.
bool tree_holds_socket(std::span<const pid_t> pids, ino_t socket_inode);

}  // namespace clusterd
