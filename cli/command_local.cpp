// The verbs that work without a daemon: help, version, daemon.
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/daemon_launcher.h"
#include "cli/help.h"
#include "cli/operation_run.h"
#include "common/json_text.h"
#include "common/version.h"

namespace clusterd::cli {
namespace {

constexpr std::chrono::milliseconds kVersionAnswerTimeout{1'000};

std::optional<Greeting> ask_version(const std::string& socket_path) {
  auto connection = Connection::open(socket_path);
  if (!connection) return std::nullopt;
  auto client = Client::greet(std::move(*connection), kVersionAnswerTimeout);
  if (!client) return std::nullopt;
  return client->greeting();
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
  if (!arguments.offline && paths) daemon = ask_version(paths->control_socket);
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

int run_daemon(const Context& context) {
  return report(exec_daemon(context.paths, context.caller, context.arguments.daemon_options),
                context.console);
}

}  // namespace clusterd::cli
