#include "cli/child_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_fd = -1;
  int write_fd = -1;
  Pipe() {
    std::array<int, 2> fds{-1, -1};
    if (pipe2(fds.data(), O_CLOEXEC) == 0) {
      read_fd = fds[0];
      write_fd = fds[1];
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_write();
    if (read_fd >= 0) close(read_fd);
  }
  void close_write() {
    if (write_fd >= 0) close(write_fd);
    write_fd = -1;
  }
};

// Our SIGPIPE is ignored, and that would be inherited.
int spawn(const ChildRun& run, int write_fd, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& word : run.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  if (run.captured_fd >= 0) posix_spawn_file_actions_adddup2(&actions, write_fd, run.captured_fd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Until the pipe ends: whoever holds it open, the child or its own children.
std::string read_output(int fd, const ChildRun& run, Clock::time_point deadline, std::string& fault) {
  std::string output;
  std::array<char, 16 * 1024> buffer;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&entry, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      fault = "did not end within " + std::to_string(run.limit.count() / 1000) + " s";
      return output;
    }
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (run.captured_fd >= 0 && output.size() > run.bytes_max) {
      fault = "printed more than the limit of " + std::to_string(run.bytes_max) + " bytes";
      return output;
    }
  }
}

}  // namespace

Result<ChildOutcome> run_child(const ChildRun& run) {
  // Without a captured descriptor the pipe is still inherited, as 3: its end is the end of the child.
  ChildRun plan = run;
  const bool keeps = run.captured_fd >= 0;
  if (!keeps) plan.captured_fd = 3;
  Pipe pipe;
  const std::string& program = run.words.front();
  if (pipe.read_fd < 0)
    return fail(ErrorCode::failed, "cannot make a pipe: " + std::string(std::strerror(errno)));
  pid_t pid = -1;
  if (const int error = spawn(plan, pipe.write_fd, pid); error != 0) {
    return fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::failed,
                "cannot run " + program + ": " + std::strerror(error));
  }
  pipe.close_write();
  std::string fault;
  plan.bytes_max = keeps ? run.bytes_max : 0;
  std::string output = read_output(pipe.read_fd, plan, Clock::now() + run.limit, fault);
  if (!fault.empty()) kill(pid, SIGKILL);
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  if (!fault.empty()) return fail(ErrorCode::failed, program + " " + fault);
  const int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  return ChildOutcome{status, keeps ? std::move(output) : std::string()};
}

}  // namespace clusterd::cli
