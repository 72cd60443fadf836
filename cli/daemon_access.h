// Daemon access: how each verb gets at the daemon: some start one, the others only talk to one that runs.
//
// Called by the commands. Says on standard error when a daemon was started.
#pragma once

#include <string>

#include "cli/client.h"
#include "cli/command.h"

namespace clusterd::cli {

// `start`, `list`, `jlist` and `resurrect` make sense as the first command of a user.
bool starts_daemon(Verb verb);

Result<Client> reach_daemon(const Context& context);
Result<Client> launch_daemon(const Context& context);  // starts it, whatever the verb

// A relative --home or CLUSTERD_HOME is meant from where the user stands.
std::string absolute_home(const std::string& home, const Caller& caller);

}  // namespace clusterd::cli
