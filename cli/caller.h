// Caller: what the shell that ran this command looks like: working directory, environment, home.
//
// observe_caller() looks once, in main; everything else takes the value, so that tests can make one up.
#pragma once

#include <string>

#include "config/app_spec.h"

namespace clusterd::cli {

struct Caller {
  std::string cwd;  // absolute, symbolic links as the user came through them
  std::string user_home;
  Environment environment;
  bool is_root = false;
};

Caller observe_caller();

// Value of a variable; empty if it is not set.
std::string variable(const Caller& caller, const std::string& name);

// What apps inherit from the caller, and the daemon too: everything except the variables by which supervisors
// (systemd, Node's cluster, clusterd itself) talk to one particular process.
Environment inherited_environment(const Environment& environment);

}  // namespace clusterd::cli
