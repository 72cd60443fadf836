// Daemon log view: `clusterd logs --daemon`: the daemon's own log, its last lines and what is added.
//
// Reads the file in the home folder, so it works when no daemon runs, and shows the daemon's next life, too.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace clusterd::cli {

// `time=... level=info pid=1 msg="a \"b\""` -> {"time":"...","level":"info","pid":"1","msg":"a \"b\""}, one
// line.
std::string log_line_as_json(std::string_view line);

int show_daemon_log(const Context& context);

}  // namespace clusterd::cli
