// limits: what the kernel is told about the process before it becomes the program: cgroups, rlimits,
// priority, the out-of-memory killer's preference, umask.
//
// Called by the launcher's main while it still has the daemon's rights: most of it cannot be raised
// afterwards.
#pragma once

#include "daemon/launcher/received_plan.h"

namespace clusterd::launcher {

void join_cgroups(const ReceivedPlan& plan, const Reporter& reporter);  // before descriptors are placed
void set_limits(const ReceivedPlan& plan, const Reporter& reporter);

}  // namespace clusterd::launcher
