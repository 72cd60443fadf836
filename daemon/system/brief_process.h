// A process that lives for a few system calls, because something can only be done with descriptors, or in a
// cgroup, other than the daemon's own.
//
// Used by connection_cgroup and epoll_watch. The caller waits for its end; the reaper never sees it. Source:
// clone3(2).
#pragma once

#include <cstdint>

#include "common/result.h"

namespace clusterd {

struct BriefProcess {
  std::uint64_t flags =
      0;            // of clone3(2), beside CLONE_VFORK; memory is a copy unless CLONE_VM is among them
  int cgroup = -1;  // folder, with CLONE_INTO_CGROUP
  // System calls only: no allocation, no lock. What it returns is 0 or an errno.
  int (*job)(void* argument) = nullptr;
  void* argument = nullptr;
};

// What the job returned; the error is that there is no such process.
Result<int> run(const BriefProcess& process);

}  // namespace clusterd
