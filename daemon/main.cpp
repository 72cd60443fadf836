// clusterd-daemon: the supervisor. The chapters of its life, from the command line to the last child.
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "common/error_code.h"
#include "common/version.h"
#include "daemon/daemon.h"
#include "daemon/daemon_log.h"
#include "daemon/system/app_cgroup.h"
#include "daemon/system/home_folder.h"

namespace {

using namespace clusterd;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whoever started us hears it, by the descriptor it gave us or on the terminal.
int give_up(const DaemonOptions& options, const Error& error) {
  if (options.ready_fd >= 0) {
    report_and_close(options.ready_fd, error.message + "\n");
  } else {
    std::fprintf(stderr, "clusterd-daemon: %s\n", error.message.c_str());
  }
  return static_cast<int>(exit_status_of(error.code));
}

// The daemon before may be on its last steps: it answers nobody any more and has not ended yet, as in
// `clusterd kill && clusterd start app`.
Result<HomeLock> take_lock(const HomePaths& home) {
  constexpr std::chrono::seconds kLastSteps{5};
  constexpr std::chrono::milliseconds kPause{10};
  const auto deadline = std::chrono::steady_clock::now() + kLastSteps;
  for (;;) {
    auto lock = HomeLock::take(home.lock);
    const bool held = !lock && lock.error().code == ErrorCode::conflict;
    std::error_code ignored;
    if (!held || std::filesystem::exists(home.control_socket, ignored)) return lock;
    if (std::chrono::steady_clock::now() > deadline) return lock;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

int main(int argc, char** argv) {
  DaemonOptions options;
  if (const auto status = parse_daemon_options(argc, argv, options)) return *status;
  const std::string home_text = options.home.empty() ? environment("CLUSTERD_HOME") : options.home;
  const auto home = home_paths(home_text, environment("HOME"));
  if (!home) return give_up(options, home.error());

  std::error_code ignored;
  const auto launcher =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "clusterd-exec";
  const auto setup = set_up_process();
  if (!setup) return give_up(options, setup.error());
  if (auto prepared = prepare_home(*home); !prepared) return give_up(options, prepared.error());
  auto lock = take_lock(*home);
  if (!lock) return give_up(options, lock.error());

  const StderrLog stderr_log = options.ready_fd >= 0 ? StderrLog::off : StderrLog::on;
  if (auto log = start_daemon_log(home->daemon_log, stderr_log); !log) return give_up(options, log.error());
  AppCgroup::remove_leftovers();
  Daemon daemon(std::move(*lock), *home, *setup, launcher.string(), options.total_log_bytes_max);
  if (auto opened = daemon.open(); !opened) return give_up(options, opened.error());
  spdlog::info("clusterd {} serves {}", kVersion, home->home);

  report_and_close(options.ready_fd, "ok\n");
  daemon.ready();
  if (options.resurrect) daemon.resurrect();
  daemon.run();
  return static_cast<int>(ExitStatus::success);
}
