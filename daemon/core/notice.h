// Notice: what an instance says of itself by sd_notify(3), apart from READY=1 and WATCHDOG=1.
//
// Pure value: made by HostedProcess of an attributed message, acted upon by the Supervisor.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace clusterd {

// How far EXTEND_TIMEOUT_USEC may push the end of one phase, all extensions together.
inline constexpr std::chrono::milliseconds kExtensionMax = std::chrono::hours{1};
inline constexpr std::size_t kStatusBytesMax = 512;  // of STATUS=, the rest is cut off

struct Notice {
  bool stopping = false;          // STOPPING=1: it ends by itself
  bool reloading = false;         // RELOADING=1: until the next READY=1
  bool watchdog_trigger = false;  // WATCHDOG=trigger: it wants to be replaced
  std::optional<std::string> status{};
  std::optional<std::chrono::milliseconds> extension{};  // EXTEND_TIMEOUT_USEC
  std::optional<int> main_pid{};                         // MAINPID, checked: a process of its tree
};

}  // namespace clusterd
