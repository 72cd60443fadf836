#include "daemon/system/brief_process.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<int> run(const BriefProcess& process) {
  clone_args how{};
  how.flags = process.flags | CLONE_VFORK;
  if ((process.flags & CLONE_INTO_CGROUP) != 0) how.cgroup = static_cast<std::uint64_t>(process.cgroup);
  const auto pid = static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
  if (pid == 0) {
    const int result = process.job(process.argument);
    for (;;) syscall(SYS_exit_group, result);
  }
  if (pid < 0) return system_error("cannot start a process", errno);
  // It has no exit signal, so no other wait sees it; it has ended already (CLONE_VFORK).
  int status = 0;
  while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

}  // namespace clusterd
