// trusted_open: opens a path for writing without being led astray by the owners of the folders on the way.
//
// For a root daemon that writes into folders of its apps' users: each element is opened by descriptor, and a
// symbolic link counts only if root or the daemon's own user made it. Judged on the object itself, so
// exchanging it between check and use does not help. Missing folders are made. Used by LogFile.
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/system/unique_fd.h"

namespace clusterd {

// `path` is absolute. On failure errno says why; EACCES for a link of somebody else.
UniqueFd trusted_open(const std::string& path, int flags, mode_t mode, mode_t folder_mode);

}  // namespace clusterd
