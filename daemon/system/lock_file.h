// HomeLock: the proof that this process is the only daemon of its home folder.
//
// Taken before anything else is touched; functions that need the home to be theirs take a HomeLock&. The lock
// is the kernel's (flock), so it ends with the process however that dies, and a lock file that is merely
// there means nothing. The file says who holds it, for the message of whoever comes second; it is never
// removed, because removing it is how two daemons would each get a lock. Descriptor is close-on-exec.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class HomeLock {
 public:
  // conflict: held by another process, named with its pid (and host, if that is not ours).
  static Result<HomeLock> take(const std::string& path);

  HomeLock(HomeLock&&) = default;
  HomeLock& operator=(HomeLock&&) = default;

 private:
  explicit HomeLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace clusterd
