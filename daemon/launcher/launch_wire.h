// Wire form between the daemon (daemon/system/launch_plan, spawner, launch_channel) and clusterd-exec.
//
// Both are built from one tree but may meet across an upgrade, so the version is checked first. Everything is
// in the byte order of the machine. Header only and free of the C++ runtime: clusterd-exec is static and
// small.
//
// Daemon to launcher, SOCK_SEQPACKET on fd 0: messages of one LaunchParcel each, descriptors as SCM_RIGHTS,
// in the order plan memfd, stdout, stderr, cgroups, sockets, passed ones. Only the plan is always there.
// `last` ends the sequence.
//
// The plan memfd: PlanHeader, then limit_count times PlanLimit, group_count times gid (u32), then
// NUL-terminated strings: cwd, argv..., env... LISTEN_PID and WATCHDOG_PID stand in it with room for ten
// digits, to be patched in the launcher's private mapping.
//
// Launcher to daemon, on the same socket: LaunchReport messages; end of file means the program runs.
#pragma once

#include <cstdint>

namespace clusterd::wire {

inline constexpr std::uint32_t kMagic = 0x636c7578;  // "clux"
inline constexpr std::uint32_t kVersion = 3;
inline constexpr unsigned kFdsPerParcelMax = 253;  // SCM_MAX_FD of the kernel
inline constexpr unsigned kSocketsMax = 1024;
inline constexpr unsigned kPassedMax = 16;
inline constexpr unsigned kLimitsMax = 16;
inline constexpr unsigned kCgroupsMax = 3;
inline constexpr unsigned kDescriptorsMax = 3 + kCgroupsMax + kSocketsMax + kPassedMax;
inline constexpr int kInputPipeBytes = 16 * 1024;  // of the pipe behind fd 0; the default is four times that
inline constexpr int kFirstSocket = 3;  // sd_listen_fds(3); passed descriptors follow the last socket
inline constexpr char kListenPidKey[] = "LISTEN_PID=";
inline constexpr char kListenPidEntry[] = "LISTEN_PID=0000000000";
inline constexpr char kWatchdogPidKey[] = "WATCHDOG_PID=";
inline constexpr char kWatchdogPidEntry[] = "WATCHDOG_PID=0000000000";

struct LaunchParcel {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t fd_count = 0;
  std::uint32_t last = 0;
};

enum PlanFlags : std::uint32_t {
  kHasOut = 1,
  kHasErr = 2,
  kHasIdentity = 4,
  kHasNofile = 8,
  kTakeOverBind = 16,
  kHasNice = 32,
  kHasOomScore = 64,
  kHasUmask = 128,
  kHasInput = 256,  // fd 0 is a pipe that never ends; else /dev/null
};

struct PlanHeader {
  std::uint32_t flags = 0;
  std::uint32_t argument_count = 0;
  std::uint32_t environment_count = 0;
  std::uint32_t group_count = 0;
  std::uint32_t socket_count = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t passed_count = 0;
  std::uint64_t nofile_soft = 0;
  std::uint32_t limit_count = 0;
  std::uint32_t cgroup_count = 0;  // descriptors of cgroup.procs files, into which the process is moved
  std::int32_t nice = 0;
  std::int32_t oom_score_adj = 0;
  std::uint32_t umask = 0;
  std::uint32_t padding = 0;
};

struct PlanLimit {
  std::uint32_t resource = 0;  // RLIMIT_
  std::uint32_t padding = 0;
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};

enum class ReportKind : std::uint32_t {
  takeover,              // the notification fd comes along
  takeover_unavailable,  // `error` says why; the launch goes on
  failure,               // `stage`, `fault`, `error`, `detail`; the launcher exits with kExitStatus
};

inline constexpr int kExitStatus = 127;

// In the order they are passed through.
enum class Stage : std::uint32_t {
  plan,
  session,
  sockets,
  stdio,
  cgroup,
  limits,
  cwd,
  takeover,
  groups,
  group,
  user,
  exec
};

// What a failed exec was really about.
enum class Fault : std::uint32_t {
  plain,        // the errno says it all
  not_on_path,  // a bare name that no directory of PATH has
  missing,      // no such file
  is_directory,
  not_executable,       // no x bit for us
  no_exec_mount,        // the file system is mounted noexec
  interpreter_missing,  // `detail` names it, from the #! line
  interpreter_denied,   // the same, but it cannot be executed
  loader_missing,       // `detail` names it, from the ELF header: built for another libc
  no_shebang,           // text without a #! line
  wrong_machine,        // an ELF file for another processor
  empty_file,
};

inline constexpr unsigned kDetailBytesMax = 512;

struct LaunchReport {
  std::uint32_t magic = kMagic;
  ReportKind kind = ReportKind::failure;
  Stage stage = Stage::plan;
  Fault fault = Fault::plain;
  std::int32_t error = 0;
  char subject[kDetailBytesMax] = {};  // the path, directory or id the stage was about
  char detail[kDetailBytesMax] = {};
};

}  // namespace clusterd::wire
