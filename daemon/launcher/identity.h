// Identity: groups, group and user of the app, each change checked.
// Called once, between the descriptors and the exec; gives the launch up at the first refusal.
#pragma once

#include "daemon/launcher/received_plan.h"
#include "daemon/launcher/report.h"

namespace clusterd::launcher {

// Nothing is changed without kHasIdentity. An unprivileged daemon may "change" to who it already is.
void assume_identity(const ReceivedPlan& plan, const Reporter& reporter);

}  // namespace clusterd::launcher
