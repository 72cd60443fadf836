// reap_children: the only place in the daemon that waits for processes.
//
// Called by the glue on SIGCHLD. Returns every child that has ended since, unknown ones included: the daemon
// is a subreaper and buries orphans of its apps too. A pid may be signalled only until it is returned from
// here.
#pragma once

#include <sys/types.h>

#include <vector>

namespace clusterd {

struct Reaped {
  pid_t pid = 0;
  int wait_status = 0;  // as wait() gives it; see exit_record.h
};

std::vector<Reaped> reap_children();

}  // namespace clusterd
