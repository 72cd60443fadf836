// HomePaths: where everything of one clusterd lives, below CLUSTERD_HOME (default ~/.clusterd).
//
// Pure; the CLI and the daemon compute the same paths from the same two environment variables. Creates,
// checks and reads nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

// sun_path of sockaddr_un holds 108 bytes, one of them the final NUL: unix(7).
inline constexpr std::size_t kSocketPathBytesMax = 107;

struct HomePaths {
  std::string home;
  std::string control_socket;  // control.sock
  std::string lock;            // daemon.lock
  std::string daemon_log;      // daemon.log
  std::string dump;            // dump.json: what `save` wrote
  std::string state;           // state.json: what runs now
  std::string deaths;          // deaths.jsonl: the record of ended processes
  std::string logs;            // folder
  std::string pids;            // folder
  std::string run;             // folder: notify sockets and other things that die with the daemon
};

// `clusterd_home` and `user_home` are the values of CLUSTERD_HOME and HOME; empty means not set.
Result<HomePaths> home_paths(std::string_view clusterd_home, std::string_view user_home);

}  // namespace clusterd
