// `report`: everything a bug report needs, on standard output: versions, machine, checks, apps and the
// daemon's log. No environment is asked for, and what looks like a secret is replaced (redaction.h).
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_facts.h"
#include "cli/json_read.h"
#include "cli/list_view.h"
#include "cli/local_files.h"
#include "cli/redaction.h"
#include "cli/small_views.h"
#include "common/json_text.h"
#include "common/version.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kLogLinesShown = 60;
constexpr std::size_t kLogBytesMax = 64 * 1024 * 1024;

std::string section(const std::string& title, const std::string& text) {
  return "\n## " + title + "\n\n" + text;
}

json redacted_value(const json& value) {
  if (value.is_string()) return redacted(value.get_ref<const std::string&>());
  if (value.is_array()) {
    std::vector<std::string> words;
    for (const json& item : value) {
      if (!item.is_string()) return value;
      words.push_back(item.get<std::string>());
    }
    return redacted_arguments(words);
  }
  return value;
}

std::string app_lines(const json& apps) {
  std::string text;
  for (const json& app : apps) {
    text += printable(text_of(app, "namespace") + "/" + text_of(app, "name")) + "\n";
    for (const auto& [key, value] : member_of(app, "spec").items())
      text += "  " + key + ": " + printable(to_line(redacted_value(value))) + "\n";
  }
  return text;
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t at = text.size();
  if (at > 0 && text.back() == '\n') --at;
  for (std::size_t line = 0; line < count && at != std::string::npos && at > 0; ++line)
    at = text.rfind('\n', at - 1);
  return text.substr(at == std::string::npos || at == 0 ? 0 : at + 1);
}

std::string log_text(const HomePaths& paths) {
  auto text = read_file(paths.home + "/daemon.log", kLogBytesMax);
  if (!text) return "none: " + text.error().message + "\n";
  return printable_lines(redacted(last_lines(*text, kLogLinesShown)));
}

// What the daemon says about itself and its apps.
std::string daemon_sections(Client& client) {
  std::string text;
  const auto ask = [&](const char* op, json args) {
    auto response = client.call(op, std::move(args));
    return response && !response->error ? std::move(response->result) : json::object();
  };
  text += section("Checks", render_doctor(member_of(ask("doctor", json::object()), "checks"), Style{}));
  const json instances = member_of(ask("list", json::object()), "instances");
  text += section("Instances", redacted(render_list(instances, Style{})));
  text += section("Settings", app_lines(member_of(ask("describe", {{"target", "all"}}), "apps")));
  return text;
}

}  // namespace

int run_report(const Context& context) {
  std::string text = "# clusterd report\n\nclusterd " + std::string(kVersion) + "\n";
  auto client = Client::connect(context.paths.control_socket);
  if (client) {
    text += "daemon " + printable(client->greeting().version) + " (pid " +
            std::to_string(client->greeting().pid) + ")\n";
  } else {
    text += "daemon: none: " + client.error().message + "\n";
  }
  text += "home " + context.paths.home + "\n";
  text += section("Machine", to_indented(host_facts()) + "\n");
  if (client) text += daemon_sections(*client);
  text += section("The end of daemon.log", log_text(context.paths));
  context.console.out(text);
  return 0;
}

}  // namespace clusterd::cli
