// File targets: an ecosystem file where a verb wants the name of an app: `stop ecosystem.json` means its
// apps.
//
// Used by command_control. Reads the file and asks the daemon which of its apps it knows; changes nothing.
#pragma once

#include "cli/client.h"
#include "cli/command.h"

namespace clusterd::cli {

// Of stop, delete, restart and reload: a target is an ecosystem file.
bool names_file(const Arguments& arguments, const Caller& caller);

// --env, --only and --prune go with a file, settings of an app with a name: what would be ignored is refused.
Result<> check_file_options(const Arguments& arguments, bool has_file);

// The arguments with each file replaced by the full names of those of its apps that the daemon knows.
Result<Arguments> with_files_resolved(const Context& context, Client& client);

}  // namespace clusterd::cli
