// procfs: the few facts about other processes that several files here need, read from /proc.
//
// Used by process_tree, bind_takeover and port_holder. Every answer is a snapshot; a process that is gone, or
// that we may not look at, gives an empty answer. Source: proc(5).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd {

inline constexpr std::size_t kProcFileBytesMax = 4 * 1024 * 1024;  // an environment may have 2 MiB and more

// "/proc/PID/file"
std::string proc_path(pid_t pid, std::string_view file);

// Empty if it cannot be read; cut off at kProcFileBytesMax.
std::string read_proc_file(const std::string& path);

struct ProcessStat {
  pid_t pid = 0;
  std::string command;  // at most 15 bytes
  char state = '?';
  pid_t parent = 0;
  pid_t session = 0;
  int threads = 0;

  // A zombie whose other threads still run is living: it can bind, write and be killed.
  bool living() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

std::optional<ProcessStat> parse_process_stat(std::string_view text);
std::optional<ProcessStat> read_process_stat(pid_t pid);

struct TaskStatus {
  pid_t process = 0;  // thread group
  std::uint64_t effective_capabilities = 0;
};

// task may be any thread.
std::optional<TaskStatus> read_task_status(pid_t task);

std::vector<pid_t> all_processes();

// Each descriptor of the process and what it leads to, until visit returns false. Names are read, no file is
// touched: one of the app's own file system could take as long as it likes.
void for_each_descriptor_of(pid_t pid, const std::function<bool(int fd, std::string_view target)>& visit);
// Those that are sockets.
void for_each_socket_of(pid_t pid, const std::function<bool(ino_t inode, int fd)>& visit);

}  // namespace clusterd
