// What a process of an app finds in its environment: the app's own variables, then clusterd's.
//
// Pure. Supervisor settings and the app's environment are kept apart: only the variables named in
// docs/config.md are added, and a variable of the operator's is never read as a setting.
#pragma once

#include <string>
#include <vector>

#include "daemon/instance_host.h"
#include "daemon/system/users.h"

namespace clusterd {

struct LaunchFacts {
  std::string marker;                  // CLUSTERD_INSTANCE: finds the process again wherever it has wandered
  std::string notify_socket;           // NOTIFY_SOCKET
  const ResolvedUser* user = nullptr;  // absent: runs as the daemon's user
  std::vector<ListenAddress> sockets{};  // where the declared sockets are really bound, in order
  pid_t parent = 0;                      // the daemon
};

std::vector<std::string> launch_environment(const LaunchOrder& order, const LaunchFacts& facts);
// The same for a command that belongs to the app but is no part of the instance: a check, a hook.
std::vector<std::string> without_instance_marks(std::vector<std::string> environment);
std::vector<std::string> launch_arguments(const AppSpec& spec);

}  // namespace clusterd
