// make_directories: mkdir -p with a mode, and an error that names the path element in the way.
//
// Called by LogFile (0750) and by the home folder (0700). Elements that exist are left as they are; symbolic
// links to directories count as directories. Never removes or chmods anything.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/result.h"

namespace clusterd {

// `path` is absolute. The mode of created elements is subject to the process's umask.
Result<void> make_directories(const std::string& path, mode_t mode);

// "/a/b/c" -> "/a/b", "/a" -> "/", "a" -> ".".
std::string parent_directory(const std::string& path);

}  // namespace clusterd
