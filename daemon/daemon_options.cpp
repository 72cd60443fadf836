#include "daemon/daemon_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "common/error_code.h"
#include "common/units.h"
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
  std::string log_size;
  app.add_option(
         "--max-total-log-size", log_size,
         "Limit of all log files together, such as 2G (default: $CLUSTERD_MAX_TOTAL_LOG_SIZE, else none)")
      ->envname("CLUSTERD_MAX_TOTAL_LOG_SIZE");
  app.set_version_flag("--version", std::string(kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::usage);
  }
  if (log_size.empty() || log_size == "0") return std::nullopt;
  const auto size = parse_size(log_size);
  if (!size) {
    std::fprintf(stderr, "clusterd-daemon: --max-total-log-size: %s\n", size.error().message.c_str());
    return static_cast<int>(ExitStatus::usage);
  }
  options.total_log_bytes_max = std::min<std::uint64_t>(*size, INT64_MAX);
  return std::nullopt;
}

}  // namespace clusterd
