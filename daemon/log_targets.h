// LogTargets: makes the target that an app asks for with `log_target`, `out_file`, `error_file` and
// `log_file`.
//
// Called once for each stream of each life of an instance. Never fails: what cannot be opened says so when it
// is written, and is tried again.
#pragma once

#include <memory>

#include "config/app_spec.h"
#include "daemon/log_origin.h"
#include "daemon/log_paths.h"
#include "daemon/system/log_hub.h"
#include "daemon/system/log_target.h"

namespace clusterd {

std::unique_ptr<LogTarget> make_log_target(LogHub& hub, const AppSpec& spec, const InstancePaths& paths,
                                           const LogOrigin& origin);

}  // namespace clusterd
