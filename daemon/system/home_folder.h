// prepare_home: makes the daemon's folders, or says why this home cannot be used.
//
// Called once at start, before the lock. Creates home, logs, pids and run with mode 0700, closes an existing
// home to others, and refuses (denied) a home that belongs to another user: a root daemon that wrote into a
// user's folder would lock that user out of it. Never touches what is inside existing folders.
#pragma once

#include "common/home_paths.h"
#include "common/result.h"

namespace clusterd {

Result<void> prepare_home(const HomePaths& paths);

}  // namespace clusterd
