// Execute: the last step, from launcher to program.
//
// Resets what a process inherits silently (signal dispositions and mask), writes LISTEN_PID and WATCHDOG_PID,
// finds the
// program and becomes it. Returns never.
#pragma once

#include "daemon/launcher/received_plan.h"
#include "daemon/launcher/report.h"

namespace clusterd::launcher {

// From here to execute() nobody can kill the launcher halfway except with SIGKILL; what arrives takes effect
// later.
void block_signals();

[[noreturn]] void execute(const ReceivedPlan& plan, const Reporter& reporter);

}  // namespace clusterd::launcher
