#include "cli/running_process.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
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

Result<RunningProcess> look_at_process(pid_t pid) {
  RunningProcess facts;
  facts.pid = pid;
  struct stat about;
  if (stat(proc(pid, "").c_str(), &about) != 0)
    return refused(pid, ErrorCode::not_found, "there is no such process");
  facts.user = about.st_uid;
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

}  // namespace

std::vector<pid_t> process_tree(pid_t pid) {
  std::vector<pid_t> tree;
  append_tree(pid, tree);
  return tree;
}

ProcessHandle::ProcessHandle(ProcessHandle&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), facts_(std::move(other.facts_)) {}

ProcessHandle::~ProcessHandle() {
  if (fd_ >= 0) close(fd_);
}

Result<ProcessHandle> ProcessHandle::open(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0 && errno == ESRCH) return refused(pid, ErrorCode::not_found, "there is no such process");
  if (fd < 0) return refused(pid, ErrorCode::failed, std::strerror(errno));
  ProcessHandle handle(fd);
  auto facts = look_at_process(pid);
  if (!facts) return fail(facts.error());
  handle.facts_ = std::move(*facts);
  if (handle.ended()) return refused(pid, ErrorCode::not_found, "it has just ended");
  return handle;
}

bool ProcessHandle::wait_for_end(std::chrono::milliseconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd one{fd_, POLLIN, 0};
    const int count = poll(&one, 1, static_cast<int>(std::max<decltype(left.count())>(left.count(), 0)));
    if (count >= 0 || errno != EINTR) return count > 0;
  }
}

Result<> ProcessHandle::signal(int number) const {
  if (syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0) == 0 || errno == ESRCH) return {};
  return fail(ErrorCode::denied,
              "cannot stop process " + std::to_string(facts_.pid) + ": " + std::strerror(errno));
}

}  // namespace clusterd::cli
