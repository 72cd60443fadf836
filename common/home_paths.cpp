#include "common/home_paths.h"

#include "common/path_text.h"

namespace clusterd {

Result<HomePaths> home_paths(std::string_view clusterd_home, std::string_view user_home) {
  const bool is_set = !clusterd_home.empty();
  if (!is_set && user_home.empty()) {
    return fail(ErrorCode::usage,
                "neither CLUSTERD_HOME nor HOME is set; set CLUSTERD_HOME to a folder of your own");
  }
  const std::string_view given = is_set ? clusterd_home : user_home;
  if (!is_absolute(given)) {
    return fail(ErrorCode::usage, std::string(is_set ? "CLUSTERD_HOME" : "HOME") +
                                      " has to be an absolute path, it is '" +
                                      std::string(given.substr(0, 200)) + "'");
  }
  HomePaths paths;
  paths.home = join_path(given, is_set ? "." : ".clusterd");
  paths.control_socket = join_path(paths.home, "control.sock");
  if (paths.control_socket.size() > kSocketPathBytesMax) {
    return fail(ErrorCode::usage,
                "the path of the control socket, '" + paths.control_socket + "', is " +
                    std::to_string(paths.control_socket.size()) + " bytes long and the system allows " +
                    std::to_string(kSocketPathBytesMax) + "; set CLUSTERD_HOME to a shorter path");
  }
  paths.lock = join_path(paths.home, "daemon.lock");
  paths.daemon_log = join_path(paths.home, "daemon.log");
  paths.dump = join_path(paths.home, "dump.json");
  paths.state = join_path(paths.home, "state.json");
  paths.deaths = join_path(paths.home, "deaths.jsonl");
  paths.logs = join_path(paths.home, "logs");
  paths.pids = join_path(paths.home, "pids");
  paths.run = join_path(paths.home, "run");
  return paths;
}

}  // namespace clusterd
