// Log datagrams: one line of output as journald and as a syslog receiver want it.
//
// Pure. Journald: its native protocol, fields as KEY=value lines (systemd.io/JOURNAL_NATIVE_PROTOCOL).
// Syslog: RFC 5424, with the app as APP-NAME, the instance as PROCID and the stream as MSGID; the time is
// left to the receiver. A line that begins with "<N>", N from 0 to 7, has that priority, as sd-daemon(3) has
// it; else output is 6 (info) and errors are 3 (err).
#pragma once

#include <string>
#include <string_view>

namespace clusterd {

inline constexpr std::size_t kLogDatagramTextMax = 48 * 1024;  // longer lines come in pieces

// Whose line it is. Everything but the app's name is of a fixed form.
struct LogLabels {
  std::string app;
  std::string name_space;
  int slot = 0;
  int id = 0;
  std::string_view stream;  // "out" or "err"
};

std::string journald_datagram(const LogLabels& labels, std::string_view line);
std::string syslog_datagram(const LogLabels& labels, std::string_view host, std::string_view line);

}  // namespace clusterd
