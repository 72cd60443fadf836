// The verbs that work without a daemon: help, version, daemon, init, completion, slist.
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/daemon_launcher.h"
#include "cli/first_app_file.h"
#include "cli/help.h"
#include "cli/host_facts.h"
#include "cli/json_read.h"
#include "cli/new_file.h"
#include "cli/operation_run.h"
#include "common/json_text.h"
#include "common/path_text.h"
#include "common/version.h"

namespace clusterd::cli {
namespace {

constexpr std::chrono::milliseconds kQuickAnswerTimeout{1'000};

// For what must not keep anybody waiting: a daemon that does not answer at once counts as none.
std::optional<Client> quick_client(const std::string& socket_path) {
  auto connection = Connection::open(socket_path);
  if (!connection) return std::nullopt;
  auto client = Client::greet(std::move(*connection), kQuickAnswerTimeout);
  return client ? std::optional(std::move(*client)) : std::nullopt;
}

}  // namespace

int run_help(const Arguments& arguments, Console& console) {
  if (arguments.targets.empty()) {
    console.out(overview_text());
    return 0;
  }
  const std::string& word = arguments.targets.front();
  const VerbRow* row = find_verb(word);
  if (row == nullptr)
    return report({ErrorCode::usage, "unknown verb '" + word + "'" + did_you_mean_verb(word)}, console);
  console.out(verb_help_text(*row));
  return 0;
}

int run_version(const Arguments& arguments, const Result<HomePaths>& paths, Console& console) {
  std::optional<Greeting> daemon;
  if (!arguments.offline && paths) {
    if (const auto client = quick_client(paths->control_socket)) daemon = client->greeting();
  }
  if (arguments.json) {
    nlohmann::json versions{{"version", kVersion}, {"daemon", nullptr}};
    if (daemon) versions["daemon"] = {{"version", daemon->version}, {"pid", daemon->pid}};
    console.out(to_line(versions) + "\n");
    return 0;
  }
  std::string text = "clusterd " + std::string(kVersion) + "\n";
  if (daemon) text += "daemon " + printable(daemon->version) + " (pid " + std::to_string(daemon->pid) + ")\n";
  console.out(text);
  return 0;
}

int run_init(const Context& context) {
  const auto& words = context.arguments.targets;
  if (!words.empty() && words.front() != "simple") {
    return report({ErrorCode::usage, "init knows the word 'simple' only, not '" + words.front() + "'"},
                  context.console);
  }
  const std::string path = join_path(context.caller.cwd, "ecosystem.json");
  const std::string_view text = words.empty() ? first_app_file() : simple_app_file();
  if (auto written = write_new_file(path, text, 0644, Existing::keep); !written)
    return report(written.error(), context.console);
  context.console.note("wrote " + path + "; then: clusterd start");
  return 0;
}

int run_completion(const Context& context) {
  const std::string& shell = context.arguments.targets.front();
  if (shell == "apps") {  // asked by the scripts, at each press of a key: quiet
    auto client = quick_client(context.paths.control_socket);
    if (!client) return 0;
    auto response = client->call("list", nlohmann::json::object());
    if (!response) return 0;
    std::set<std::string> names;
    for (const auto& instance : member_of(response->result, "instances"))
      names.insert(text_of(instance, "name"));
    for (const std::string& name : names) context.console.out(name + "\n");
    return 0;
  }
  auto script = completion_script(shell);
  if (!script)
    return report({ErrorCode::usage, "completion knows bash, zsh and fish, not '" + shell + "'"},
                  context.console);
  context.console.out(*script);
  return 0;
}

int run_slist(const Context& context) {
  context.console.out(to_indented(host_facts()) + "\n");
  return 0;
}

int run_daemon(const Context& context) {
  return report(exec_daemon(context.paths, context.caller, context.arguments.daemon_options),
                context.console);
}

}  // namespace clusterd::cli
