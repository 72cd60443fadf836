// ServiceNotify: the daemon as a client of systemd: READY=1, STOPPING=1, STATUS=, WATCHDOG=1.
//
// Reads NOTIFY_SOCKET and WATCHDOG_USEC/WATCHDOG_PID once and removes them from the environment. Without them
// every call does nothing. Never blocks. Source: sd_notify(3), sd_watchdog_enabled(3).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "daemon/system/unique_fd.h"

namespace clusterd {

class ServiceNotify {
 public:
  static ServiceNotify from_environment();

  void tell(const std::string& lines) const;
  // How often WATCHDOG=1 has to be said: half of what systemd allows.
  std::optional<std::chrono::milliseconds> watchdog_interval() const { return watchdog_interval_; }

 private:
  std::string path_;
  UniqueFd socket_;
  std::optional<std::chrono::milliseconds> watchdog_interval_;
};

}  // namespace clusterd
