// user_manager: the systemd manager of the user who calls, and how systemctl finds it.
//
// Used by `startup` and `unstartup` without root. Who came through su, sudo -u or cron has no session, so
// XDG_RUNTIME_DIR is not set or is somebody else's, and where nobody has logged in no manager runs. Sources:
// pam_systemd(8), user@.service(5); /var/lib/systemd/linger/USER is where systemd-logind remembers who
// lingers.
#pragma once

#include <chrono>
#include <string>

#include "cli/caller.h"

namespace clusterd::cli {

bool is_lingering(const std::string& user);

// Sets XDG_RUNTIME_DIR for the programs that are run, unless it names a folder of the caller's own; returns
// it.
std::string point_to_user_manager(const Caller& caller);

// A manager that has just been started takes a moment; false: there is none.
bool takes_orders(const std::string& runtime_folder, std::chrono::milliseconds patience);

}  // namespace clusterd::cli
