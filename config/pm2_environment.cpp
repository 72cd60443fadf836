#include "config/pm2_environment.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/json_text.h"
#include "config/app_fields.h"

namespace clusterd {
namespace {

using nlohmann::json;

// Of a shell, a session or a package manager: whoever starts the app next has its own.
constexpr std::array<std::string_view, 28> kSessionVariables{"_",
                                                             "PWD",
                                                             "OLDPWD",
                                                             "SHLVL",
                                                             "TERM",
                                                             "COLORTERM",
                                                             "TERM_PROGRAM",
                                                             "COLUMNS",
                                                             "LINES",
                                                             "LS_COLORS",
                                                             "LESSOPEN",
                                                             "LESSCLOSE",
                                                             "DISPLAY",
                                                             "WINDOWID",
                                                             "XAUTHORITY",
                                                             "WAYLAND_DISPLAY",
                                                             "TMUX",
                                                             "TMUX_PANE",
                                                             "STY",
                                                             "SSH_AUTH_SOCK",
                                                             "SSH_CLIENT",
                                                             "SSH_CONNECTION",
                                                             "SSH_TTY",
                                                             "MAIL",
                                                             "INIT_CWD",
                                                             "DBUS_SESSION_BUS_ADDRESS",
                                                             "SUDO_COMMAND",
                                                             "HISTCONTROL"};
constexpr std::array<std::string_view, 7> kSessionPrefixes{"XDG_",  "npm_",    "PM2_",     "BASH_FUNC_",
                                                           "SUDO_", "VSCODE_", "CLUSTERD_"};
// PM2's own, or Node's between a primary and its child.
constexpr std::array<std::string_view, 12> kPm2Variables{"unique_id",
                                                         "pm_id",
                                                         "NODE_APP_INSTANCE",
                                                         "NODE_CHANNEL_FD",
                                                         "NODE_CHANNEL_SERIALIZATION_MODE",
                                                         "NODE_UNIQUE_ID",
                                                         "pm2_env",
                                                         "km_link",
                                                         "vizion_running",
                                                         "axm_options",
                                                         "LISTEN_FDS",
                                                         "NOTIFY_SOCKET"};
constexpr std::array<std::string_view, 9> kUserVariables{"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                         "LANG", "LANGUAGE", "TZ",   "HOSTNAME"};

bool has(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool belongs_to_a_session(std::string_view name) {
  return has(kSessionVariables, name) || has(kPm2Variables, name) ||
         std::ranges::any_of(kSessionPrefixes, [&](std::string_view one) { return name.starts_with(one); });
}

bool same_as_callers(const std::string& name, const std::string& value, const Environment& caller) {
  if (!has(kUserVariables, name) && !name.starts_with("LC_")) return false;
  const auto known = caller.find(name);
  return known != caller.end() && known->second == value;
}

}  // namespace

json app_variables(const json& variables, const std::string& app_name, const Environment& caller,
                   std::vector<std::string>& notices) {
  json kept = json::object();
  if (!variables.is_object()) return kept;
  for (const auto& [name, value] : variables.items()) {
    if (belongs_to_a_session(name) || value.is_null()) continue;
    // PM2 puts the settings of its modules for this app under the app's name.
    if (name == app_name && (value.is_object() || value == "{}")) continue;
    std::string text = value.is_string() ? value.get<std::string>() : to_line(value);
    if (same_as_callers(name, text, caller)) continue;
    json one{{name, std::move(text)}};
    AppSpec scratch;
    FieldProblems problems;
    find_app_field("env")->read(one, scratch, problems);
    if (problems.empty() && one[name].get_ref<const std::string&>().find("${socket.") == std::string::npos) {
      kept.update(one);
    } else {
      notices.push_back(app_name + ": env." + name + " is left out: no variable of an app file can hold it");
    }
  }
  return kept;
}

}  // namespace clusterd
