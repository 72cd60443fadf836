// RunningProcess: what /proc says about a process that runs: how it was started, and who belongs to it.
//
// Used by `adopt`. A snapshot; the pidfd says whether it is still the same process. Source: proc(5),
// pidfd_open(2).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd::cli {

struct RunningProcess {
  pid_t pid = 0;
  uid_t user = 0;  // real, effective and saved at once
  gid_t group = 0;
  std::string program;             // absolute path of what is executed
  std::vector<std::string> words;  // its command line, the name it was called by first
  std::string cwd;
  Environment environment;
  std::vector<pid_t> tree;  // itself and its descendants
};

// Errors: not_found, denied (another user's, or of changing users), conflict (a kernel thread, a program file
// that is gone).
Result<RunningProcess> look_at_process(pid_t pid);

std::vector<pid_t> process_tree(pid_t pid);  // itself and its descendants

// Effective user of a process; nothing: it is gone.
std::optional<uid_t> user_of_process(pid_t pid);

// One process, and never another one that has got its id.
class ProcessHandle {
 public:
  static Result<ProcessHandle> open(pid_t pid);
  ProcessHandle(ProcessHandle&& other) noexcept;
  ProcessHandle& operator=(ProcessHandle&&) = delete;
  ~ProcessHandle();

  pid_t pid() const { return pid_; }
  bool ended() const { return wait_for_end(std::chrono::milliseconds(0)); }
  bool wait_for_end(std::optional<std::chrono::milliseconds> limit) const;  // absent: for ever
  Result<> signal(int number) const;                                        // one that has ended is a success

 private:
  ProcessHandle(int fd, pid_t pid) : fd_(fd), pid_(pid) {}

  int fd_;
  pid_t pid_;
};

}  // namespace clusterd::cli
