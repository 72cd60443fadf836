// AppSpec: everything the operator said about one app, with all defaults filled in.
//
// Made by config/app_file (text -> AppSpec) in the CLI and in the daemon; the daemon keeps one per generation
// and never changes it afterwards. Paths are absolute but unresolved: a `current -> release-7` link is
// followed again at each start. Pure value: no file, clock or process is touched here.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/listen_entry.h"
#include "config/log_settings.h"
#include "config/process_limits.h"
#include "config/readiness.h"
#include "config/restart_rules.h"
#include "config/socket_protocol.h"

namespace clusterd {

using Milliseconds = std::chrono::milliseconds;
using Environment = std::map<std::string, std::string>;

enum class ExecMode {
  cluster,  // sockets are shared between instances; a reload overlaps old and new
  fork,     // sockets are left alone; a reload stops the old one first
};

// Who gets a new connection. All but `shared` give each instance a listening socket of its own.
enum class Balance {
  automatic,    // the best that kernel and privileges allow
  least_conn,   // the instance with the fewest open connections
  round_robin,  // the next one
  random,
  hash,    // by the client's address and port
  shared,  // one listening socket, inherited by every instance: whoever accepts first
};

// What an instance reads from its standard input.
enum class StandardInput {
  null,  // /dev/null: the end at once
  pipe,  // nothing, until somebody sends it a line; it never ends
};

// `instances` as written; resolved against the CPUs the daemon may use only when the app is applied.
struct InstanceCount {
  enum class Kind {
    exactly,         // value instances
    all_cpus,        // "max" or 0
    all_cpus_minus,  // -value: CPUs minus value, at least one
  };
  Kind kind = Kind::exactly;
  int value = 1;
  bool operator==(const InstanceCount&) const = default;
};

inline constexpr int kInstancesMax = 10'000;
inline constexpr Milliseconds kNoTimeLimit{-1};  // kill_timeout: wait for ever

// Which variables of the caller's shell an app does not get; what the app file sets is never filtered.
struct EnvFilter {
  bool everything = false;
  std::string exactly;                  // this one variable; empty: none
  std::vector<std::string> containing;  // all whose name contains one of these
  bool operator==(const EnvFilter&) const = default;
};

struct AppSpec {
  std::string name;
  std::string name_space = "default";  // key `namespace`
  std::string source_file;             // the app file it came from, absolute; empty: the command line
  bool append_env_to_name = false;     // `name` has it already
  std::string script;                  // absolute path, or a bare name to be found on the app's PATH
  std::vector<std::string> args;
  std::string cwd;
  std::string interpreter;  // empty: the script is executed itself
  std::vector<std::string> interpreter_args;
  bool by_node = false;  // no interpreter, but the script's first line names Node

  InstanceCount instances;
  bool instances_given = false;  // written by the operator; decides the default of merge_logs, as in PM2
  ExecMode exec_mode = ExecMode::cluster;
  bool exec_mode_given = false;  // written by the operator; see node_role_of()

  // What a process gets is inherited_env, overlaid with env, overlaid with env_profiles[env_profile].
  Environment inherited_env;                        // the caller's shell; replaced only by --update-env
  Environment env;                                  // what env_file and port say included
  EnvFilter filter_env;                             // applies to inherited_env
  std::vector<std::string> env_file;                // read by the command, never by the daemon
  std::optional<int> port;                          // PORT in env
  std::map<std::string, Environment> env_profiles;  // keys `env_<name>`
  std::string env_profile;                          // chosen with --env; empty: none
  std::string instance_var = "NODE_APP_INSTANCE";
  std::string increment_var;  // empty: none

  std::vector<ListenEntry> listen;
  std::vector<SocketProtocol> socket_protocol{SocketProtocol::automatic};
  Balance balance = Balance::automatic;
  std::optional<int> max_surge;  // replacements in flight during a reload; absent: a quarter of the instances
  bool wait_ready = false;       // the same as ready = notify
  Readiness ready;
  std::optional<HealthCheck> health;
  std::optional<Milliseconds> watchdog;  // it has to say WATCHDOG=1 that often
  Milliseconds listen_timeout{30'000};
  Milliseconds drain_timeout{30'000};
  Milliseconds drain_idle{5'000};  // a connection that is silent so long while draining is ended; 0: never
  Milliseconds kill_timeout{1'600};
  std::optional<int> kill_signal;      // absent: default_kill_signal()
  bool shutdown_with_message = false;  // Node programs: the message "shutdown" instead of the stop signal
  bool treekill = true;

  bool autostart = true;  // false: a new app is only put into the list
  bool autorestart = true;
  Milliseconds min_uptime{1'000};
  std::optional<int> max_restarts;  // absent: never gives up
  Milliseconds restart_delay{0};    // above 0: a fixed delay instead of the growing one
  Milliseconds exp_backoff_restart_delay{100};
  Milliseconds exp_backoff_max{15'000};
  std::vector<int> stop_exit_codes;
  CronRule cron;
  WatchRule watch;
  std::optional<std::uint64_t> max_memory_restart;  // bytes, of the whole tree of an instance

  std::vector<std::string> depends_on;  // "name", of the same namespace, or "namespace:name"
  Milliseconds depends_timeout{60'000};

  // Command lines, word by word; empty: none.
  std::vector<std::string> pre_start;
  std::vector<std::string> post_start;
  std::vector<std::string> pre_stop;
  std::vector<std::string> post_stop;
  Milliseconds hook_timeout{10'000};

  ProcessLimits limits;
  StandardInput standard_input = StandardInput::null;  // key `stdin`

  std::string out_file;    // empty: the daemon's default
  std::string error_file;  // empty: the daemon's default
  std::optional<bool> merge_logs;
  LogSettings log;
  std::string pid_file;  // empty: the daemon's default

  std::string uid;  // name or number; empty: the daemon's user
  std::string gid;

  bool operator==(const AppSpec&) const = default;
};

// The environment of a process before clusterd adds its own variables.
Environment effective_environment(const AppSpec& spec);

bool is_filtered(const EnvFilter& filter, std::string_view name);

// `ready`, with wait_ready taken into account.
Readiness readiness_of(const AppSpec& spec);

// SIGINT for node, bun, deno and the package managers that start them (what PM2's apps expect), else SIGTERM.
int default_kill_signal(const AppSpec& spec);
inline int kill_signal_of(const AppSpec& spec) {
  return spec.kill_signal ? *spec.kill_signal : default_kill_signal(spec);
}

// Number of instances on a machine where `cpus` CPUs may be used; at least 1.
int resolve_instances(InstanceCount count, int cpus);

// All instances of the app write into one pair of log files.
inline bool logs_merged(const AppSpec& spec) { return spec.merge_logs.value_or(!spec.instances_given); }

}  // namespace clusterd
