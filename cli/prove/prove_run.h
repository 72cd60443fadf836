// ProveRun: the work of `prove` within the private room: network, daemon, app, rounds, report.
//
// Runs in the child process of the room. Says on standard error what it is about to do, writes the report to
// standard output, and returns the exit status; what it started is ended by the room.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "config/app_spec.h"

namespace clusterd::cli {

// `folder` becomes the home of the private daemon.
int prove_in(const std::string& folder, std::vector<AppSpec> specs, const Context& context);

}  // namespace clusterd::cli
