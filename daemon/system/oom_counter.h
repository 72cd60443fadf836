// OomCounter: has the kernel's out-of-memory killer had a victim where a process lived, since we looked first?
//
// Made by HostedProcess when a program runs, asked when it was killed by a SIGKILL that is not ours. The first
// of these that can be read: oom_kill of memory.events (cgroup v2) or of memory.oom_control (v1) of the process's
// cgroup, oom_kill of /proc/vmstat, which counts for the whole machine. A cgroup shared with others counts their
// victims, too. Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst, proc_vmstat(5).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

class OomCounter {
 public:
  enum class Answer : std::uint8_t { unknown, none, in_cgroup, in_machine };

  static OomCounter of(pid_t pid);
  Answer look() const;

 private:
  std::string cgroup_file_;  // empty: there is none to be read
  std::optional<std::uint64_t> in_cgroup_;
  std::optional<std::uint64_t> in_machine_;
};

// Lines of "name number", as all three files have them.
std::optional<std::uint64_t> flat_keyed_number(std::string_view text, std::string_view key);

// The file that counts for a process, from the texts of its /proc/PID/cgroup and of /proc/self/mountinfo.
std::optional<std::string> oom_file(std::string_view cgroup_text, std::string_view mountinfo_text);

}  // namespace clusterd
