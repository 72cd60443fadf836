#include "daemon/system/reaper.h"

#include <sys/wait.h>

#include <cerrno>

namespace clusterd {

std::vector<Reaped> reap_children() {
  std::vector<Reaped> reaped;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid > 0) {
      reaped.push_back({pid, status});
    } else if (pid == 0 || errno != EINTR) {
      return reaped;
    }
  }
}

}  // namespace clusterd
