// Daemon log: sets up the process-wide default logger, which the glue uses as spdlog::info(...) and so on.
//
// Called once by main() before anything is logged. One event a line, key=value:
//   time=2026-01-31T12:00:00.123Z level=info pid=4711 msg="web.0 started"
// Quotes, backslashes and control characters in a message are escaped, so that nothing an app or a user sends
// can forge a line. The file rotates at kDaemonLogBytesMax (daemon.1.log ...), mode 0600; every line is
// flushed at once. Never logs environment values; that is the duty of the callers.
#pragma once

#include <cstddef>
#include <string>

#include "common/result.h"

namespace clusterd {

inline constexpr std::size_t kDaemonLogBytesMax = 10 * 1024 * 1024;
inline constexpr std::size_t kDaemonLogFilesKept = 3;  // beside the current one

enum class StderrLog { off, on };

// An empty path means no file. Afterwards the level is info; the caller may change it.
Result<void> start_daemon_log(const std::string& path, StderrLog stderr_log);

}  // namespace clusterd
