#include "daemon/daemon_options.h"

#include <CLI/CLI.hpp>

#include "common/error_code.h"
#include "common/version.h"

namespace clusterd {

std::optional<int> parse_daemon_options(int argc, char** argv, DaemonOptions& options) {
  CLI::App app(
      "The supervisor of clusterd, in the foreground. Started by `clusterd` when needed, or by systemd.\n"
      "Example: clusterd-daemon --home /var/lib/clusterd --resurrect",
      "clusterd-daemon");
  app.add_option("--home", options.home,
                 "Folder of state and logs (default: $CLUSTERD_HOME, else ~/.clusterd)");
  app.add_flag("--resurrect", options.resurrect, "Start the apps of the last `clusterd save`");
  app.add_option("--ready-fd", options.ready_fd,
                 "Descriptor that gets \"ok\" or what went wrong; logs to file only");
  app.set_version_flag("--version", std::string(kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::usage);
  }
  return std::nullopt;
}

}  // namespace clusterd
