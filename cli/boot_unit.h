// Boot unit: the text of the systemd unit that brings the saved apps of one user back at boot.
//
// Pure; used by command_boot. Follows systemd.unit(5), systemd.service(5) and systemd.syntax(7): % is written
// %%, values are quoted. What cannot be written safely is refused, since a unit whose User= is not understood
// would run as root.
#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

struct BootUnit {
  std::string user;         // of a system unit; empty: a unit of the user's own manager
  std::string home;         // CLUSTERD_HOME, absolute
  std::string daemon_path;  // absolute
};

// The first line of every unit of ours: another file of that name is not overwritten.
inline constexpr std::string_view kBootUnitMark =
    "# Written by `clusterd startup`; `clusterd unstartup` takes it away.";

Result<std::string> boot_unit_text(const BootUnit& unit);

// Letters, digits and :_.@-, so that systemd takes it for the name of a service; without ".service".
Result<> check_service_name(std::string_view name);

}  // namespace clusterd::cli
