// Takeover filter: reports bind() and listen() of this process and all its descendants to the daemon.
//
// A seccomp filter with a user notification descriptor, which goes to the daemon over the reporter's channel.
// The kernel wants CAP_SYS_ADMIN for it or no_new_privs; the latter is set only where the former is missing,
// because it takes setuid helpers away from the app. Source: seccomp(2), seccomp_unotify(2).
#pragma once

#include "daemon/launcher/report.h"

namespace clusterd::launcher {

// Must run before the identity is dropped. Where the filter is not available (a sandbox around us has one
// already, an old kernel) the daemon is told and the launch goes on.
void install_takeover_filter(const Reporter& reporter);

}  // namespace clusterd::launcher
