#include "cli/prove/private_room.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kReapPollMs = 20;
constexpr milliseconds kKillTimeout{
    5'000};  // processes that even SIGKILL does not end are stuck in the kernel
constexpr milliseconds kInterruptTimeout{2'000};  // from Ctrl-C to SIGKILL for the work itself

// "4711 (name) S 1 ...": the name may hold anything, so from the last parenthesis on.
pid_t parent_of(const std::string& pid) {
  int fd = open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::array<char, 1024> buffer;
  ssize_t count = read(fd, buffer.data(), buffer.size());  // fails for a process that ends just now
  close(fd);
  std::string_view text(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  std::size_t end = text.rfind(')');
  if (end == std::string_view::npos || end + 4 >= text.size()) return -1;
  pid_t parent = -1;
  std::from_chars(text.data() + end + 4, text.data() + text.size(), parent);
  return parent;
}

std::set<pid_t> own_children() {
  std::set<pid_t> children;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return children;
  while (const dirent* entry = readdir(folder)) {
    std::string name = entry->d_name;
    pid_t pid = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    if (parent_of(name) == getpid()) children.insert(pid);
  }
  closedir(folder);
  return children;
}

// Signals that end the work, and SIGCHLD, are taken with sigtimedwait() while this lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&signals_);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&signals_, number);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // 0: none came in time
  int wait(milliseconds limit) const {
    timespec time{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
    int number = sigtimedwait(&signals_, nullptr, &time);
    return number > 0 ? number : 0;
  }

 private:
  sigset_t signals_{}, before_{};
};

// The child must not unwind into the destructor of its parent's room.
int run_guarded(const std::function<int(const std::string&)>& work, const std::string& folder) noexcept {
  try {
    return work(folder);
  } catch (const std::exception& fault) {
    std::string line = std::string("clusterd: internal fault: ") + fault.what() + "\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    return EXIT_FAILURE;
  }
}

class Room {
 public:
  explicit Room(std::string folder) : folder_(std::move(folder)), known_(own_children()) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room();

  Result<RoomOutcome> run(const std::function<int(const std::string&)>& work);

 private:
  RoomOutcome wait_for(pid_t child);
  void signal_strangers(int number) const;
  bool strangers_gone() const;
  bool wait_until_gone(milliseconds limit) const;

  std::string folder_;
  std::set<pid_t> known_;  // children from before, no concern of ours
  BlockedSignals signals_;
};

Result<RoomOutcome> Room::run(const std::function<int(const std::string&)>& work) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t child = fork();
  if (child < 0)
    return fail(ErrorCode::failed, std::string("cannot make a process: ") + std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    signals_.restore();
    _exit(run_guarded(work, folder_));
  }
  return wait_for(child);
}

RoomOutcome Room::wait_for(pid_t child) {
  RoomOutcome outcome;
  auto kill_at = Clock::time_point::max();
  while (true) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (outcome.signal_number == 0 && WIFSIGNALED(status)) outcome.signal_number = WTERMSIG(status);
      outcome.status = outcome.signal_number != 0 ? 128 + outcome.signal_number : WEXITSTATUS(status);
      return outcome;
    }
    int number = signals_.wait(milliseconds(100));
    if (Clock::now() >= kill_at) kill(child, SIGKILL);
    if (number == 0 || number == SIGCHLD) continue;
    outcome.signal_number = number;
    kill(child, SIGTERM);
    kill_at = std::min(kill_at, Clock::now() + kInterruptTimeout);
  }
}

void Room::signal_strangers(int number) const {
  for (pid_t pid : own_children()) {
    if (!known_.contains(pid)) kill(pid, number);
  }
}

bool Room::strangers_gone() const {
  std::set<pid_t> children = own_children();
  bool gone = true;
  for (pid_t pid : children) {
    if (known_.contains(pid)) continue;
    gone = waitpid(pid, nullptr, WNOHANG) == pid && gone;  // reaped: but it may have left us its children
  }
  return gone && std::ranges::includes(known_, own_children());
}

bool Room::wait_until_gone(milliseconds limit) const {
  auto deadline = Clock::now() + limit;
  while (!strangers_gone()) {
    if (Clock::now() >= deadline) return false;
    poll(nullptr, 0, kReapPollMs);
  }
  return true;
}

Room::~Room() {
  signal_strangers(SIGTERM);  // the daemon: it stops its apps and ends
  if (!wait_until_gone(kRoomStopTimeout)) {
    auto deadline = Clock::now() + kKillTimeout;
    do signal_strangers(SIGKILL);  // the children of the killed come to us, and are next
    while (!wait_until_gone(milliseconds(kReapPollMs)) && Clock::now() < deadline);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace

Result<RoomOutcome> in_private_room(const Caller& caller,
                                    const std::function<int(const std::string& folder)>& work) {
  std::string base = variable(caller, "TMPDIR");
  std::string path = (base.starts_with('/') ? base : "/tmp") + "/clusterd-prove-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::failed, "cannot make a folder " + path + ": " + std::strerror(errno));
  }
  Room room(path);
  return room.run(work);
}

}  // namespace clusterd::cli
