#include "cli/daemon_launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/local_files.h"

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReadyFd = 3;
constexpr int kLockPollMs = 10;  // flock() cannot wait with a time limit

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() { reset(); }
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

std::unexpected<Error> system_failure(const std::string& what, int error) {
  ErrorCode code =
      error == EACCES || error == EPERM || error == EROFS ? ErrorCode::denied : ErrorCode::failed;
  return fail(code, what + ": " + std::strerror(error));
}

Result<> make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT) return system_failure("cannot make the folder " + path, errno);
  std::size_t slash = path.rfind('/');
  if (slash == 0 || slash == std::string::npos)
    return system_failure("cannot make the folder " + path, ENOENT);
  if (auto made = make_folder(path.substr(0, slash)); !made) return made;
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return system_failure("cannot make the folder " + path, errno);
}

// With HOME kept by sudo, root would otherwise leave files behind that their owner can no longer use.
Result<> check_owner(const std::string& home) {
  struct stat info{};
  if (stat(home.c_str(), &info) != 0) return system_failure("cannot look at " + home, errno);
  if (!S_ISDIR(info.st_mode))
    return fail(ErrorCode::config, home + " is not a folder; choose another --home");
  if (info.st_uid == geteuid()) return {};
  return fail(ErrorCode::denied,
              home + " belongs to another user (uid " + std::to_string(info.st_uid) +
                  "); no daemon is started there: run this as that user, or choose another --home");
}

// Missing folders below another user's home would end up as ours: look at the nearest one that exists first.
Result<> prepare_home(const std::string& home, const Caller& caller) {
  struct stat info{};
  if (stat(home.c_str(), &info) == 0) return check_owner(home);
  bool default_home = home.starts_with(caller.user_home + "/");
  if (caller.is_root && default_home && stat(caller.user_home.c_str(), &info) == 0 && info.st_uid != 0) {
    return fail(ErrorCode::denied, caller.user_home + " belongs to another user (uid " +
                                       std::to_string(info.st_uid) +
                                       "); as root choose another --home, or run this as that user");
  }
  if (auto made = make_folder(home); !made) return made;
  return check_owner(home);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> daemon_environment(const Caller& caller) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : inherited_environment(caller.environment))
    entries.push_back(name + "=" + value);
  return entries;
}

// posix_spawn's two records, with their lifetime.
struct SpawnRecipe {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  explicit SpawnRecipe(int ready_fd) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int fd : {0, 1, 2})
      posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ready_fd, kReadyFd);
    posix_spawn_file_actions_addclosefrom_np(&actions, kReadyFd + 1);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnRecipe(const SpawnRecipe&) = delete;
  SpawnRecipe& operator=(const SpawnRecipe&) = delete;
  ~SpawnRecipe() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

// One line, or what came until the daemon closed its end; nothing if it took too long.
std::optional<std::string> read_readiness(int fd, std::chrono::milliseconds timeout) {
  std::string said;
  auto deadline = Clock::now() + timeout;
  while (said.find('\n') == std::string::npos && said.size() < kLaunchMessageBytesMax) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{fd, POLLIN, 0};
    int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    std::array<char, 512> buffer;
    ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    said.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return said.substr(0, said.find('\n'));
}

// While the lock is held by another command it is about to start the daemon, or its daemon is coming up.
Result<Fd> take_spawn_lock(const std::string& path) {
  Fd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) return system_failure("cannot open " + path, errno);
  auto deadline = Clock::now() + kLaunchTimeout + std::chrono::seconds(5);
  while (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return system_failure("cannot lock " + path, errno);
    if (Clock::now() > deadline) {
      return fail(ErrorCode::no_daemon,
                  "another command has been starting the daemon for too long (it holds " + path + ")");
    }
    poll(nullptr, 0, kLockPollMs);
  }
  return lock;
}

}  // namespace

Result<LaunchedClient> connect_or_launch(const HomePaths& paths, const Caller& caller) {
  auto client = Client::connect(paths.control_socket);
  if (client) return LaunchedClient{std::move(*client)};
  if (client.error().code != ErrorCode::no_daemon) return fail(client.error());
  if (auto prepared = prepare_home(paths.home, caller); !prepared) return fail(prepared.error());
  auto lock = take_spawn_lock(paths.home + "/spawn.lock");
  if (!lock) return fail(lock.error());
  auto others = Client::connect(paths.control_socket);  // it may have been started while we waited
  if (others) return LaunchedClient{std::move(*others)};
  auto program = find_daemon_program(caller);
  if (!program) return fail(program.error());
  if (auto launched = launch_daemon(*program, paths, caller); !launched) return fail(launched.error());
  auto ours = Client::connect(paths.control_socket);
  if (!ours) return fail(ours.error());
  return LaunchedClient{std::move(*ours), true};
}

Result<std::string> find_daemon_program(const Caller& caller) {
  std::string folder = own_folder();
  std::string beside = folder + "/clusterd-daemon";
  if (look_at(beside) == FileKind::executable) return beside;
  if (auto found = find_on_path("clusterd-daemon", variable(caller, "PATH"))) return *found;
  return fail(ErrorCode::not_found, "the program clusterd-daemon is neither in " + folder +
                                        " nor on PATH; install it beside clusterd");
}

Result<> launch_daemon(const std::string& program, const HomePaths& paths, const Caller& caller,
                       std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe", errno);
  Fd read_end(ends[0]), write_end(ends[1]);
  std::vector<std::string> words{program, "--home", paths.home, "--ready-fd", std::to_string(kReadyFd)};
  std::vector<std::string> environment = daemon_environment(caller);
  SpawnRecipe recipe(write_end.get());
  pid_t pid = 0;
  int error = posix_spawn(&pid, program.c_str(), &recipe.actions, &recipe.attributes,
                          pointers_to(words).data(), pointers_to(environment).data());
  if (error != 0) return system_failure("cannot start " + program, error);
  write_end.reset();
  auto said = read_readiness(read_end.get(), timeout);
  if (said && *said == "ok") return {};
  if (!said) {
    return fail(ErrorCode::no_daemon,
                "the daemon (pid " + std::to_string(pid) + ") did not become ready in " +
                    std::to_string(timeout.count() / 1000) + " s; see " + paths.daemon_log);
  }
  if (!said->empty()) return fail(ErrorCode::no_daemon, "the daemon did not start: " + *said);
  return fail(ErrorCode::no_daemon, "the daemon ended before it was ready; see " + paths.daemon_log);
}

Error exec_daemon(const HomePaths& paths, const Caller& caller, const std::vector<std::string>& options) {
  auto program = find_daemon_program(caller);
  if (!program) return program.error();
  std::vector<std::string> words{*program, "--home", paths.home};
  words.insert(words.end(), options.begin(), options.end());
  signal(SIGPIPE, SIG_DFL);  // main ignores it, and exec would pass that on
  execv(program->c_str(), pointers_to(words).data());
  return {ErrorCode::failed, "cannot start " + *program + ": " + std::strerror(errno)};
}

}  // namespace clusterd::cli
