// Launched: a real process, started through spawn_launcher and clusterd-exec, killed with its session at the
// end.
//
// Used by the suites of launching, takeover and process trees. Every wait has a deadline and fails the test
// when it passes; nothing sleeps.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/system/launch_channel.h"
#include "daemon/system/launch_plan.h"
#include "daemon/system/spawner.h"

namespace clusterd::test {

inline constexpr std::chrono::seconds kDeadline{30};

inline std::string launcher_path() { return CLUSTERD_BIN_DIR "/clusterd-exec"; }
inline std::string program_path(const std::string& name) {
  return CLUSTERD_BIN_DIR "/../tests/programs/" + name;
}

struct Pipe {
  UniqueFd read_end, write_end;
  Pipe() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
};

inline bool wait_readable(int fd, std::chrono::milliseconds limit = kDeadline) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, static_cast<int>(limit.count())) == 1;
}

// Up to the end of file, or up to and with the first line.
enum class Until { end, line };
inline std::string read_text(int fd, Until until = Until::end) {
  std::string text;
  char byte = 0;
  while (wait_readable(fd) && read(fd, &byte, 1) == 1) {
    text += byte;
    if (byte == '\n' && until == Until::line) return text;
  }
  return text;
}

// argv of a shell command, with an environment in which it works.
inline LaunchPlan shell_plan(const std::string& command) {
  LaunchPlan plan;
  plan.argv = {"/bin/sh", "-c", command};
  plan.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return plan;
}

inline LaunchPlan program_plan(std::vector<std::string> argv) {
  LaunchPlan plan;
  plan.argv = std::move(argv);
  plan.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return plan;
}

class Launched {
 public:
  // Standard output and standard error of the process go to output().
  explicit Launched(LaunchPlan plan, const std::string& launcher = launcher_path()) {
    plan.out_fd = output_.write_end.get();
    plan.err_fd = output_.write_end.get();
    auto spawned = spawn_launcher(launcher, plan);
    if (!spawned) FAIL(spawned.error().message);
    output_.write_end.reset();
    pid_ = spawned->pid;
    channel_.emplace(std::move(spawned->channel));
  }
  Launched(Launched&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        gone_(other.gone_),
        status_(other.status_),
        text_(std::move(other.text_)),
        output_(std::move(other.output_)),
        channel_(std::move(other.channel_)) {}
  ~Launched() {
    if (pid_ == 0 || gone_) return;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // if it had no session of its own yet
    waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }
  LaunchChannel& channel() { return *channel_; }
  int output() const { return output_.read_end.get(); }

  LaunchChannel::State outcome() {
    while (channel_->read() == LaunchChannel::State::waiting) REQUIRE(wait_readable(channel_->fd()));
    return channel_->state();
  }

  // The process must end by itself.
  int wait_status() {
    if (gone_) return status_;
    text_ = read_text(output());  // ends with the last process that holds the pipe
    REQUIRE(waitpid(pid_, &status_, 0) == pid_);
    gone_ = true;
    return status_;
  }
  std::string text() {
    wait_status();
    return text_;
  }

  // Somebody else has waited for it.
  void reaped() { gone_ = true; }

 private:
  pid_t pid_ = 0;
  bool gone_ = false;
  int status_ = 0;
  std::string text_;
  Pipe output_;
  std::optional<LaunchChannel> channel_;
};

}  // namespace clusterd::test
