#include "daemon/system/process_identity.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace clusterd {

pid_t own_pid() { return getpid(); }
uid_t own_uid() { return geteuid(); }
bool process_exists(pid_t pid) { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }
pid_t session_of(pid_t pid) { return getsid(pid); }

}  // namespace clusterd
