#include "cli/running_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace clusterd::cli {
namespace {

std::string proc(pid_t pid, const std::string& file) { return "/proc/" + std::to_string(pid) + "/" + file; }

std::unexpected<Error> refused(pid_t pid, ErrorCode code, const std::string& why) {
  return fail(code, "cannot adopt process " + std::to_string(pid) + ": " + why);
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> zero_ended(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string link_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

Environment environment_of(pid_t pid) {
  Environment environment;
  for (const std::string& entry : zero_ended(content(proc(pid, "environ")))) {
    const std::size_t at = entry.find('=');
    if (at != entry.npos && at > 0) environment[entry.substr(0, at)] = entry.substr(at + 1);
  }
  return environment;
}

void append_tree(pid_t pid, std::vector<pid_t>& tree) {
  tree.push_back(pid);
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator(proc(pid, "task"), ignored)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) append_tree(child, tree);
  }
}

// "Uid:\t0\t0\t0\t0": real, effective, saved and file system. The owner of /proc/PID would be root for
// whatever may not be dumped.
std::optional<std::array<id_t, 3>> ids_of(pid_t pid, const std::string& key) {
  std::istringstream status(content(proc(pid, "status")));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream numbers(line.substr(key.size()));
    std::array<id_t, 3> ids{};
    if (numbers >> ids[0] >> ids[1] >> ids[2]) return ids;
  }
  return std::nullopt;
}

Result<> read_identity(RunningProcess& facts) {
  const auto users = ids_of(facts.pid, "Uid:");
  const auto groups = ids_of(facts.pid, "Gid:");
  if (!users || !groups) return refused(facts.pid, ErrorCode::not_found, "there is no such process");
  const auto differs = [](const std::array<id_t, 3>& ids) { return ids[0] != ids[1] || ids[0] != ids[2]; };
  if (differs(*users) || differs(*groups))
    return refused(facts.pid, ErrorCode::denied,
                   "it changes between users while it runs; start it as an app instead");
  facts.user = (*users)[0];
  facts.group = (*groups)[0];
  return {};
}

}  // namespace

std::optional<uid_t> user_of_process(pid_t pid) {
  const auto users = ids_of(pid, "Uid:");
  return users ? std::optional<uid_t>((*users)[1]) : std::nullopt;
}

std::vector<pid_t> process_tree(pid_t pid) {
  std::vector<pid_t> tree;
  append_tree(pid, tree);
  return tree;
}

Result<RunningProcess> look_at_process(pid_t pid) {
  RunningProcess facts;
  facts.pid = pid;
  if (auto identity = read_identity(facts); !identity) return fail(identity.error());
  facts.program = link_of(proc(pid, "exe"));
  facts.cwd = link_of(proc(pid, "cwd"));
  facts.words = zero_ended(content(proc(pid, "cmdline")));
  if (facts.words.empty()) return refused(pid, ErrorCode::conflict, "it is none that runs a program");
  if (facts.program.empty() || facts.cwd.empty())
    return refused(pid, ErrorCode::denied, "it is another user's; run this as that user, or as root");
  if (access(facts.program.c_str(), X_OK) != 0)
    return refused(pid, ErrorCode::conflict, "its program, " + facts.program + ", cannot be started again");
  facts.environment = environment_of(pid);
  facts.tree = process_tree(pid);
  return facts;
}

ProcessHandle::ProcessHandle(ProcessHandle&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), pid_(other.pid_) {}

ProcessHandle::~ProcessHandle() {
  if (fd_ >= 0) close(fd_);
}

Result<ProcessHandle> ProcessHandle::open(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd >= 0) return ProcessHandle(fd, pid);
  if (errno == ESRCH || errno == EINVAL)
    return refused(pid, ErrorCode::not_found, "there is no such process");
  return refused(pid, ErrorCode::failed, std::strerror(errno));
}

bool ProcessHandle::wait_for_end(std::optional<std::chrono::milliseconds> limit) const {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPollMax{60'000};
  const auto begin = Clock::now();
  while (true) {
    auto left = kPollMax;
    if (limit)
      left = std::clamp(
          std::chrono::ceil<std::chrono::milliseconds>(
              begin + std::min(*limit, std::chrono::milliseconds(std::chrono::hours(8760))) - Clock::now()),
          std::chrono::milliseconds(0), kPollMax);
    pollfd one{fd_, POLLIN, 0};
    const int count = poll(&one, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
    if (limit && left.count() == 0) return false;
  }
}

Result<> ProcessHandle::signal(int number) const {
  if (syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0) == 0 || errno == ESRCH) return {};
  return fail(ErrorCode::denied, "cannot stop process " + std::to_string(pid_) + ": " + std::strerror(errno));
}

}  // namespace clusterd::cli
