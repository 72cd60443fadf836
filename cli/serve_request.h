// What `clusterd serve` asks for, said as a `clusterd start` of clusterd-serve. Pure but for a look at the
// folder.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/caller.h"
#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd::cli {

// `program`: path of clusterd-serve.
Result<Arguments> serve_as_start(const Arguments& arguments, const Caller& caller,
                                 const std::string& program);

// The password is no argument of the program, since those everybody on the machine can read.
void add_credentials(const ServeOptions& options, AppSpec& app);

}  // namespace clusterd::cli
