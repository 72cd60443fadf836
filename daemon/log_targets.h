// LogTargets: makes the target that an app asks for with `log_target`, `out_file`, `error_file` and
// `log_file`.
//
// Called once for each stream of each life of an instance. Never fails: what cannot be opened says so when it
// is written, and is tried again.
#pragma once

#include <memory>

#include "config/app_spec.h"
#include "daemon/log_keeper.h"
#include "daemon/log_origin.h"
#include "daemon/log_paths.h"
#include "daemon/system/log_hub.h"
#include "daemon/system/log_socket.h"
#include "daemon/system/log_target.h"

namespace clusterd {

struct LogPlaces {
  LogHub& files;
  LogKeeper& keeper;
  const LogServices& services;
};

std::unique_ptr<LogTarget> make_log_target(const LogPlaces& places, const AppSpec& spec,
                                           const InstancePaths& paths, const LogOrigin& origin);

// With log_target direct: the file itself, for the app to write to. Empty if that is not wanted or the file
// cannot be opened; then the daemon is in between, and tries again.
UniqueFd open_direct_log(const AppSpec& spec, const InstancePaths& paths, Stream stream);

}  // namespace clusterd
