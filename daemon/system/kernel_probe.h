// KernelProbe: which mechanisms the kernel offers to this process.
//
// Asked by doctor; changes nothing and never fails: what cannot be asked is not offered.
#pragma once

#include <string>

namespace clusterd {

struct KernelProbe {
  std::string release;              // uname -r
  bool seccomp_notify = false;      // bind() takeover: SECCOMP_GET_NOTIF_SIZES, Linux 5.0
  bool seccomp_privileged = false;  // CAP_SYS_ADMIN: without it apps run with no_new_privs
  bool pidfd_getfd = false;         // Linux 5.6
  bool subreaper = false;
  bool proc_children = false;  // /proc/PID/task/TID/children
  unsigned long long nofile_limit = 0;
};

KernelProbe probe_kernel();

}  // namespace clusterd
