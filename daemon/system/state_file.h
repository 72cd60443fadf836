// State files: small files that are replaced as a whole and survive a crash at any instant.
//
// Used for dump.json and state.json; one writer per path, which the HomeLock guarantees. A reader finds
// either the whole old or the whole new content, also after SIGKILL or power loss. The content before the
// last write is kept beside it as "<path>.bak". Errors name the path and say that the old content is still
// there. Nothing is ever deleted that a user might want back: a file that cannot be understood is set aside
// under a new name.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

inline constexpr int kFilesSetAsideMax = 1'000;

// Creates or replaces `path` with mode `mode`; its folder must exist.
Result<void> write_atomically(const std::string& path, std::string_view bytes, mode_t mode = 0600);

// not_found when there is no such file; failed when it is not a regular file or longer than `bytes_max`.
Result<std::string> read_whole(const std::string& path, std::size_t bytes_max);

// Renames a broken file to the first free "<path>.broken-<n>", n from 1, and returns that name.
Result<std::string> set_aside(const std::string& path);

inline std::string backup_path(const std::string& path) { return path + ".bak"; }

}  // namespace clusterd
