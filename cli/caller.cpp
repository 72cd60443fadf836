#include "cli/caller.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace clusterd::cli {
namespace {

// sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3), systemd.exec(5); Node's child_process and cluster;
// inherited sockets of nginx, PHP-FPM, unicorn, gunicorn. EINHORN_*, SERVER_STARTER_*, OVERSEER_*, UPSTART_*
// and PUMA_INHERIT_* go by their beginning.
constexpr std::array<std::string_view, 5> kSupervisorPrefixes{"EINHORN_", "SERVER_STARTER_", "OVERSEER_",
                                                              "UPSTART_", "PUMA_INHERIT_"};
constexpr std::array<std::string_view, 23> kSupervisorVariables{"LISTEN_FDS",
                                                                "LISTEN_PID",
                                                                "LISTEN_FDNAMES",
                                                                "LISTEN_PIDFDID",
                                                                "NOTIFY_SOCKET",
                                                                "WATCHDOG_USEC",
                                                                "WATCHDOG_PID",
                                                                "MAINPID",
                                                                "MANAGERPID",
                                                                "INVOCATION_ID",
                                                                "JOURNAL_STREAM",
                                                                "SYSTEMD_EXEC_PID",
                                                                "MEMORY_PRESSURE_WATCH",
                                                                "MEMORY_PRESSURE_WRITE",
                                                                "NODE_CHANNEL_FD",
                                                                "NODE_CHANNEL_SERIALIZATION_MODE",
                                                                "NODE_UNIQUE_ID",
                                                                "CLUSTERD_INSTANCE",
                                                                "NGINX",
                                                                "FPM_SOCKETS",
                                                                "UNICORN_FD",
                                                                "GUNICORN_FD",
                                                                "GUNICORN_PID"};

// $PWD keeps the links the user came through; it is only believed if it is where we are.
std::string working_directory(const Environment& environment) {
  struct stat here{}, claimed{};
  auto pwd = environment.find("PWD");
  if (pwd != environment.end() && pwd->second.starts_with('/') && stat(".", &here) == 0 &&
      stat(pwd->second.c_str(), &claimed) == 0 && here.st_dev == claimed.st_dev &&
      here.st_ino == claimed.st_ino) {
    return pwd->second;
  }
  char* path = getcwd(nullptr, 0);
  std::string cwd = path != nullptr ? path : "/";  // the directory may have been removed under our feet
  std::free(path);
  return cwd;
}

Environment whole_environment() {
  Environment result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));  // of duplicates the first, as getenv()
  }
  return result;
}

}  // namespace

std::string variable(const Caller& caller, const std::string& name) {
  auto found = caller.environment.find(name);
  return found == caller.environment.end() ? std::string() : found->second;
}

Caller observe_caller() {
  Caller caller;
  caller.environment = whole_environment();
  caller.cwd = working_directory(caller.environment);
  caller.is_root = geteuid() == 0;
  caller.user_home = variable(caller, "HOME");
  if (caller.user_home.empty()) {
    const passwd* user = getpwuid(geteuid());
    if (user != nullptr) caller.user_home = user->pw_dir;
  }
  return caller;
}

Environment inherited_environment(const Environment& environment) {
  Environment result = environment;
  for (std::string_view name : kSupervisorVariables) result.erase(std::string(name));
  std::erase_if(result, [](const auto& variable) {
    return std::ranges::any_of(kSupervisorPrefixes,
                               [&](std::string_view prefix) { return variable.first.starts_with(prefix); });
  });
  return result;
}

}  // namespace clusterd::cli
