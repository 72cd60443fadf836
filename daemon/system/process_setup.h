// process_setup: what the daemon arranges for itself before it does anything else.
//
// Called by main once, single-threaded. Everything here is inherited by nobody: clusterd-exec sets the
// opposite for the apps (signals, umask, limits).
#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>

#include "common/result.h"

namespace clusterd {

struct ProcessSetup {
  std::optional<rlim_t> nofile_soft;  // what apps get: the soft limit before ours was raised
  std::optional<int> oom_score_adj;   // the same, if ours was lowered: what apps get
};

// Subreaper, ignored SIGPIPE and SIGXFSZ, umask 077, cwd "/", soft limit of open files raised to the hard
// one; last in the out-of-memory killer's order, where that is allowed.
Result<ProcessSetup> set_up_process();

// Writes a line to a descriptor inherited from whoever started the daemon, and closes it.
void report_and_close(int fd, const std::string& line);

}  // namespace clusterd
