#include "daemon/system/process_setup.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

namespace {

constexpr const char* kOomFile = "/proc/self/oom_score_adj";
constexpr const char* kOomLast = "-900";  // -1000 would exempt us altogether

// One app that takes all memory shall not take the supervision of all others with it:
// proc_pid_oom_score_adj(5).
std::optional<int> be_spared_by_oom_killer() {
  const std::string before = read_proc_file(kOomFile);
  int score = 0;
  const auto [end, error] = std::from_chars(before.data(), before.data() + before.size(), score);
  if (error != std::errc{} || score < 0) return std::nullopt;  // somebody has arranged it already
  const UniqueFd file(open(kOomFile, O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), kOomLast, std::strlen(kOomLast)) < 0) return std::nullopt;
  return score;
}

}  // namespace

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
  setup.oom_score_adj = be_spared_by_oom_killer();
  return setup;
}

void report_and_close(int fd, const std::string& line) {
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(fd, line.data(), line.size());
  close(fd);
}

}  // namespace clusterd
