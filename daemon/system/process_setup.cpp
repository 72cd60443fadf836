#include "daemon/system/process_setup.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<ProcessSetup> set_up_process() {
  ProcessSetup setup;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return system_error("cannot become a subreaper", errno);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  umask(077);
  if (chdir("/") != 0) return system_error("cannot enter /", errno);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    setup.nofile_soft = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);  // best effort: a low limit shows when descriptors run out
  }
  return setup;
}

void report_and_close(int fd, const std::string& line) {
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(fd, line.data(), line.size());
  close(fd);
}

}  // namespace clusterd
