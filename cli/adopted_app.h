// Adopted app: the command line that starts what a running process is, with its folder, environment and user.
//
// Pure but for looking whether files are there. Used by `adopt`.
#pragma once

#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/running_process.h"

namespace clusterd::cli {

struct AdoptedCommand {
  std::string script;   // absolute
  Arguments arguments;  // with what the operator did not say himself: name, interpreter, user
  Caller caller;        // as if the process had called
};

// The words behind `--` count instead of the process's own. Error: its command line is no longer what it was
// started with, and there are none.
Result<AdoptedCommand> command_of(const RunningProcess& process, const Arguments& arguments,
                                  const Caller& caller);

}  // namespace clusterd::cli
