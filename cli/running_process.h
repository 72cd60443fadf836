// RunningProcess: what /proc says about a process that runs: how it was started, and who belongs to it.
//
// Used by `adopt`. A snapshot; the pidfd says whether it is still the same process. Source: proc(5),
// pidfd_open(2).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd::cli {

struct RunningProcess {
  pid_t pid = 0;
  uid_t user = 0;
  std::string program;             // absolute path of what is executed
  std::vector<std::string> words;  // its command line, the name it was called by first
  std::string cwd;
  Environment environment;
  std::vector<pid_t> tree;  // itself and its descendants
};

std::vector<pid_t> process_tree(pid_t pid);  // itself and its descendants

class ProcessHandle {
 public:
  // Errors: not_found, denied (another user's), conflict (a kernel thread, a program file that is gone).
  static Result<ProcessHandle> open(pid_t pid);
  ProcessHandle(ProcessHandle&& other) noexcept;
  ProcessHandle& operator=(ProcessHandle&&) = delete;
  ~ProcessHandle();

  const RunningProcess& facts() const { return facts_; }
  bool ended() const { return wait_for_end(std::chrono::milliseconds(0)); }
  bool wait_for_end(std::chrono::milliseconds limit) const;
  Result<> signal(int number) const;

 private:
  explicit ProcessHandle(int fd) : fd_(fd) {}

  int fd_;
  RunningProcess facts_;
};

}  // namespace clusterd::cli
