#include "daemon/system/kernel_probe.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "daemon/system/capabilities.h"

namespace clusterd {

KernelProbe probe_kernel() {
  KernelProbe probe;
  utsname names{};
  if (uname(&names) == 0) probe.release = names.release;
  seccomp_notif_sizes sizes{};
  probe.seccomp_notify = syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
  probe.seccomp_privileged = has_capability(Capability::sys_admin);
  probe.pidfd_getfd = syscall(SYS_pidfd_getfd, -1, 0, 0) == -1 && errno != ENOSYS;
  int subreaper = 0;
  probe.subreaper = prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0) == 0 && subreaper == 1;
  const std::string self = std::to_string(getpid());
  probe.proc_children = std::filesystem::exists("/proc/" + self + "/task/" + self + "/children");
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) probe.nofile_limit = limit.rlim_cur;
  return probe;
}

}  // namespace clusterd
