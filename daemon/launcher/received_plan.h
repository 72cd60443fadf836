// ReceivedPlan: the launch plan as it came from the daemon, decoded in place.
//
// All pointers lead into a private mapping of the plan's memfd that lives until exec; nothing is copied or
// freed.
#pragma once

#include <sys/types.h>

#include "daemon/launcher/launch_wire.h"
#include "daemon/launcher/report.h"

namespace clusterd::launcher {

struct ReceivedPlan {
  wire::PlanHeader header;
  const wire::PlanLimit* limits = nullptr;  // header.limit_count of them
  const gid_t* groups = nullptr;
  const char* cwd = nullptr;
  char** arguments = nullptr;    // NULL at the end, as execve takes it
  char** environment = nullptr;  // the same

  int out_fd = -1;  // -1: /dev/null
  int err_fd = -1;
  int* cgroup_fds = nullptr;  // header.cgroup_count of them
  int* socket_fds = nullptr;  // header.socket_count of them, and header.passed_count behind

  // What stands from wire::kFirstSocket on.
  unsigned placed_count() const { return header.socket_count + header.passed_count; }
  bool has(wire::PlanFlags flag) const { return (header.flags & flag) != 0; }
};

// Takes everything the daemon queued on the reporter's channel. A plan that makes no sense, for instance one
// of another version, ends the launch.
ReceivedPlan receive_plan(const Reporter& reporter);

}  // namespace clusterd::launcher
