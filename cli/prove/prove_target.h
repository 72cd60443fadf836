// What is to be proved: the complete specs of the apps, from where `start` would get them.
//
// Scripts and ecosystem files are resolved here; of an app that runs already, its daemon is asked. Then the
// specs are changed where the original would get in the way of the copy: log and pid files, paths of sockets.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "config/app_spec.h"

namespace clusterd::cli {

inline constexpr int kProveInstancesMin = 2;  // unless -i says otherwise

Result<std::vector<AppSpec>> specs_to_prove(const Context& context);

// Unix sockets that the daemon opens for an app get other paths, in `folder`: the real ones may be in use,
// and an app that inherits a socket does not look at its path.
void move_unix_sockets(std::vector<AppSpec>& specs, const std::string& folder);

}  // namespace clusterd::cli
