#include "daemon/system/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

template <class Number>
std::optional<Number> to_number(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

// The n-th word after the one that `text` starts with, counted from 0.
std::string_view word(std::string_view text, int n) {
  for (;; --n) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == text.npos) return {};
    const std::size_t end = text.find_first_of(" \n", start);
    if (n == 0) return text.substr(start, end == text.npos ? end : end - start);
    if (end == text.npos) return {};
    text.remove_prefix(end);
  }
}

// The value of a "Key:\tvalue" line.
std::string_view status_field(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return {};
  text.remove_prefix(at + key.size());
  const std::size_t start = text.find_first_not_of(" \t");
  return start == text.npos ? std::string_view{} : text.substr(start, text.find('\n') - start);
}

}  // namespace

std::string proc_path(pid_t pid, std::string_view file) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(file);
}

std::string read_proc_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file) return text;
  std::array<char, 4096> block;
  while (text.size() < kProcFileBytesMax) {
    const ssize_t length = read(file.get(), block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(length));
  }
  return text;
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The command stands in parentheses and may contain any character, parentheses and newlines included.
  const std::size_t open_at = text.find('(');
  const std::size_t close_at = text.rfind(')');
  if (open_at == text.npos || close_at == text.npos || close_at < open_at) return std::nullopt;
  const std::string_view rest = text.substr(close_at + 1);
  const auto pid = to_number<pid_t>(text);
  const auto parent = to_number<pid_t>(word(rest, 1));
  const auto session = to_number<pid_t>(word(rest, 3));
  const auto threads = to_number<int>(word(rest, 17));
  const std::string_view state = word(rest, 0);
  if (!pid || !parent || !session || !threads || state.size() != 1) return std::nullopt;
  return ProcessStat{.pid = *pid,
                     .command = std::string(text.substr(open_at + 1, close_at - open_at - 1)),
                     .state = state[0],
                     .parent = *parent,
                     .session = *session,
                     .threads = *threads};
}

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  return parse_process_stat(read_proc_file(proc_path(pid, "stat")));
}

std::optional<TaskStatus> read_task_status(pid_t task) {
  const std::string text = read_proc_file(proc_path(task, "status"));
  const auto process = to_number<pid_t>(status_field(text, "\nTgid:"));
  const auto capabilities = to_number<std::uint64_t>(status_field(text, "\nCapEff:"), 16);
  if (!process || !capabilities) return std::nullopt;
  return TaskStatus{*process, *capabilities};
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const Directory proc(opendir("/proc"));
  if (!proc) return pids;
  while (const dirent* entry = readdir(proc.get())) {
    if (const auto pid = to_number<pid_t>(entry->d_name)) pids.push_back(*pid);
  }
  return pids;
}

void for_each_descriptor_of(pid_t pid, const std::function<bool(int fd, std::string_view target)>& visit) {
  const Directory fds(opendir(proc_path(pid, "fd").c_str()));
  if (!fds) return;
  while (const dirent* entry = readdir(fds.get())) {
    std::array<char, 64> target;
    const ssize_t length = readlinkat(dirfd(fds.get()), entry->d_name, target.data(), target.size());
    if (length <= 0) continue;
    const auto fd = to_number<int>(entry->d_name);
    if (fd && !visit(*fd, {target.data(), static_cast<std::size_t>(length)})) return;
  }
}

void for_each_socket_of(pid_t pid, const std::function<bool(ino_t inode, int fd)>& visit) {
  constexpr std::string_view kPrefix = "socket:[";
  for_each_descriptor_of(pid, [&](int fd, std::string_view target) {
    if (!target.starts_with(kPrefix)) return true;
    const auto inode = to_number<ino_t>(target.substr(kPrefix.size()));
    return !inode || visit(*inode, fd);
  });
}

}  // namespace clusterd
