// Descriptors: after this step the process holds what the plan lists, and nothing else survives the exec.
//
// fd 0 is a pipe or /dev/null, 1 and 2 the app's output, sockets stand from 3 on without gaps, what is passed
// besides follows them. Everything above, the reporter's channel included, is close-on-exec.
#pragma once

#include "daemon/launcher/received_plan.h"
#include "daemon/launcher/report.h"

namespace clusterd::launcher {

// Moves the reporter's channel out of the way.
void place_descriptors(const ReceivedPlan& plan, Reporter& reporter);

}  // namespace clusterd::launcher
