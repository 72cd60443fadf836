// DaemonOptions: the command line of clusterd-daemon.
//
// Parsed once by main; CLI11 stays in one source. Says mistakes and help on the terminal itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace clusterd {

struct DaemonOptions {
  std::string home;  // --home; empty: CLUSTERD_HOME, else ~/.clusterd
  int ready_fd =
      -1;  // --ready-fd: where "ok" or an error sentence goes; started by the CLI, in the background
  std::optional<std::uint64_t> total_log_bytes_max;  // --max-total-log-size, else the environment
  bool resurrect = false;                            // --resurrect: start what `save` wrote
};

// An exit status if there is nothing to run: --help, --version, or a mistake, all of them already said.
std::optional<int> parse_daemon_options(int argc, char** argv, DaemonOptions& options);

}  // namespace clusterd
