// Pid files of instances: written for other programs to read, never believed by us.
//
// Used by HostedProcess. The path may lie in a folder of the app's user while the daemon is root, so a link
// or anything but a regular file is refused and nothing here ever blocks.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/result.h"

namespace clusterd {

Result<void> write_pid_file(const std::string& path, pid_t pid);

// Only if it still names this pid: a successor may have written its own.
void remove_pid_file(const std::string& path, pid_t pid);

}  // namespace clusterd
