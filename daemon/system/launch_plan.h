// LaunchPlan: everything clusterd-exec has to know to become one process of an app.
//
// Filled in by the supervisor, consumed by spawn_launcher(); a plain value that borrows its descriptors (they
// must stay open until spawn_launcher() has returned). encode() gives the bytes of
// daemon/launcher/launch_wire.h, which clusterd-exec maps and uses in place. Nothing is looked up or checked
// against the system here.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"

namespace clusterd {

inline constexpr std::size_t kLaunchSocketsMax = 1024;
inline constexpr std::size_t kLaunchPassedMax = 16;
inline constexpr std::size_t kLaunchPlanBytesMax = 8 * 1024 * 1024;  // the kernel takes 6 MiB at most

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary; all of them, as setgroups() takes them
  bool operator==(const Identity&) const = default;
};

// A descriptor that is no listening socket: a readiness pipe, a message channel.
struct PassedFd {
  int fd = -1;
  std::string variable;  // of the environment; holds the number the descriptor has in the process
};

struct LaunchLimit {
  int resource = 0;  // RLIMIT_
  rlim_t soft = RLIM_INFINITY;
  rlim_t hard = RLIM_INFINITY;
};

struct LaunchPlan {
  using Identity = clusterd::Identity;

  // argv[0] is a path with '/', or a name to be found on PATH of `environment`.
  std::vector<std::string> argv;
  // "KEY=VALUE". LISTEN_* and WATCHDOG_* entries are dropped: they belong to the launcher.
  std::vector<std::string> environment;
  std::string cwd;  // empty: stay in the daemon's

  bool input = false;  // fd 0 is a pipe for write_standard_input(); false: /dev/null
  int out_fd = -1;     // becomes fd 1; -1: /dev/null
  int err_fd = -1;     // becomes fd 2; -1: /dev/null

  // Become fds 3, 4, 5 ... in this order, announced by LISTEN_FDS, LISTEN_PID (right even behind the
  // launcher, wrong behind a shell) and LISTEN_FDNAMES. Names: printable ASCII without ':'; missing ones are
  // "unknown".
  std::vector<int> sockets;
  std::vector<std::string> socket_names;
  bool announce_sockets = true;  // false: no LISTEN_*; the program knows of its sockets by other means

  // WATCHDOG_USEC, with WATCHDOG_PID beside it.
  std::optional<std::chrono::microseconds> watchdog;

  // Follow the sockets; their variables replace entries of the same name in `environment`.
  std::vector<PassedFd> passed;

  std::optional<Identity> identity;   // absent: stay who the daemon is
  bool take_over_bind = false;        // report bind() and listen() of the whole tree to a BindTakeover
  std::optional<rlim_t> nofile_soft;  // the soft limit of open files the daemon had before it raised its own

  std::vector<LaunchLimit> limits;  // each resource at most once; that of open files wins over nofile_soft
  std::optional<int> nice;
  std::optional<int> oom_score_adj;
  std::optional<mode_t> umask;  // absent: 022
  std::vector<int> cgroups;     // cgroup.procs files, open for writing, that it moves itself into
};

// Fails (usage) for a plan that cannot be executed at all: empty argv, a NUL inside a string, too many
// descriptors, too many bytes, a passed descriptor without a good variable.
Result<std::string> encode(const LaunchPlan& plan);

}  // namespace clusterd
