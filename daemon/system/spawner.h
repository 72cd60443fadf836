// spawn_launcher: the one place where a process is created for an app.
//
// It starts clusterd-exec with nothing but one end of a socket pair as its fd 0; the plan (in a sealed memfd)
// and all descriptors are already queued in that socket, so neither side ever waits for the other. What
// happens next is heard on `channel` (see launch_channel.h). The child is not waited for here:
// reap_children() is the only place that waits. Why it spawns the way it does:
// docs/decisions/0001-spawning.md.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/result.h"
#include "daemon/system/launch_plan.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct Spawned {
  pid_t pid = 0;
  UniqueFd channel;  // non-blocking; give it to a LaunchChannel and read that when it is readable
};

// Errors are those of the machine (no process, no descriptor left, launcher missing); an app that cannot be
// executed is reported by the launcher on the channel.
Result<Spawned> spawn_launcher(const std::string& launcher_path, const LaunchPlan& plan);

}  // namespace clusterd
