// TakenSocket: a listening TCP socket that another process has, held by the daemon from now on as well.
//
// Used when an app takes the place of a server that somebody else has started. It is the same socket: both
// can accept from its one queue, and it lives until the last of them has closed it. Needs ptrace rights over
// that process: same user, or root. Source: pidfd_getfd(2).
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/result.h"
#include "config/listen_address.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct TakenSocket {
  UniqueFd fd;
  ListenAddress address;
};

// Of exactly these processes, each socket once. The first one counts: errors are not_found (no such process),
// denied and, of all, conflict (several sockets of one address, each with a queue of its own). Of the others,
// which may come and go, those of another user are left out. Empty: they listen nowhere.
Result<std::vector<TakenSocket>> take_listening_sockets(const std::vector<pid_t>& pids);

}  // namespace clusterd
