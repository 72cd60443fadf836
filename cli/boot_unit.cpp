#include "cli/boot_unit.h"

#include <algorithm>

#include "common/path_text.h"

namespace clusterd::cli {
namespace {

constexpr std::size_t kServiceNameBytesMax = 200;  // systemd takes 255 with ".service"

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(":_.@-").contains(c);
}

enum class Dollar { literal, doubled };  // only command lines expand $

std::string quoted(std::string_view text, Dollar dollar) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '%' || (c == '$' && dollar == Dollar::doubled)) result += c;
    result += c;
  }
  return result + '"';
}

Result<> check_text(std::string_view what, std::string_view text) {
  if (!text.empty() && !has_control_character(text)) return {};
  return fail(ErrorCode::config, "the " + std::string(what) +
                                     " is empty or has control characters; it cannot stand "
                                     "in a unit");
}

}  // namespace

Result<> check_service_name(std::string_view name) {
  if (!name.empty() && name.size() <= kServiceNameBytesMax && name[0] != '-' && name[0] != '.' &&
      std::ranges::all_of(name, is_name_character)) {
    return {};
  }
  return fail(ErrorCode::usage,
              "'" + std::string(name.substr(0, 80)) +
                  "' cannot be the name of a service; give it one with --service-name: letters, "
                  "digits and :_.@-");
}

Result<std::string> boot_unit_text(const BootUnit& unit) {
  for (const auto& [what, path] :
       {std::pair<const char*, const std::string&>{"home folder", unit.home},
        std::pair<const char*, const std::string&>{"path of clusterd-daemon", unit.daemon_path}}) {
    if (auto checked = check_text(what, path); !checked) return fail(checked.error());
    if (!is_absolute(path))
      return fail(ErrorCode::config, "the " + std::string(what) + " is not absolute: " + path);
  }
  const bool is_system = !unit.user.empty();
  const bool is_plain_user = std::ranges::all_of(unit.user, is_name_character);
  if (is_system && (!is_plain_user || unit.user[0] == '-')) {
    return fail(ErrorCode::config, "systemd may not take '" + unit.user +
                                       "' for the name of a user, and would then run "
                                       "everything as root");
  }
  std::string text(kBootUnitMark);
  text += "\n[Unit]\nDescription=clusterd process manager";
  if (is_system) text += " of " + unit.user + "\nAfter=network.target";
  text += "\n\n[Service]\nType=notify\nNotifyAccess=main\n";
  if (is_system) text += "User=" + unit.user + "\n";
  text += "Environment=" + quoted("CLUSTERD_HOME=" + unit.home, Dollar::literal) + "\n";
  text += "ExecStart=" + quoted(unit.daemon_path, Dollar::doubled) + " --resurrect\n";
  text += "ExecReload=/bin/kill -HUP $MAINPID\n";
  // Apps may take drain_timeout and kill_timeout each, and the latter may be endless.
  text += "KillMode=mixed\nTimeoutStopSec=infinity\n";
  // The balancer counts connections in a folder of its own below the unit's cgroup.
  text += "Delegate=yes\nWatchdogSec=30\nRestart=on-failure\nRestartSec=1\n";
  if (is_system) text += "LimitNOFILE=524288\nOOMScoreAdjust=-500\n";
  text += "\n[Install]\nWantedBy=";
  return text + (is_system ? "multi-user.target\n" : "default.target\n");
}

}  // namespace clusterd::cli
