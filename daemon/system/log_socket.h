// LogSocket: the datagram socket of a log service of this machine: journald, or a syslog receiver.
//
// One per service and daemon, shared by the targets of all streams (ServiceTarget). Never waits: what the
// receiver does not take at once is dropped and counted. Trouble is told once, and once when it is over, with
// the number of lines that were lost. No connection is held, so a receiver that was restarted is found again
// by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/system/log_datagram.h"
#include "daemon/system/log_target.h"
#include "daemon/system/monotonic_time.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

// Trouble is over when a line is taken this long after the last one that was not.
inline constexpr std::chrono::milliseconds kServiceSettleTime{1'000};

class LogSocket {
 public:
  using Notice = std::function<void(const std::string& sentence)>;

  LogSocket(std::string path, Notice notice);

  void send(std::string_view datagram, MonotonicTime now);
  std::uint64_t dropped() const { return dropped_; }

 private:
  void note_trouble(int error);

  std::string path_;
  Notice notice_;
  UniqueFd socket_;
  std::optional<MonotonicTime> failed_at_;  // while in trouble
  std::uint64_t dropped_ = 0;
  std::uint64_t dropped_before_ = 0;
};

enum class LogService : std::uint8_t { journald, syslog };

// The sockets of this daemon. CLUSTERD_JOURNAL_SOCKET and CLUSTERD_SYSLOG_SOCKET name other paths than
// /run/systemd/journal/socket and /dev/log.
class LogServices {
 public:
  static LogServices from_environment(LogSocket::Notice notice);

  std::unique_ptr<LogTarget> target(LogService service, LogLabels labels) const;

 private:
  std::shared_ptr<LogSocket> journald_;
  std::shared_ptr<LogSocket> syslog_;
};

}  // namespace clusterd
