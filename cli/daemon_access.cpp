#include "cli/daemon_access.h"

#include "cli/daemon_launcher.h"
#include "common/path_text.h"

namespace clusterd::cli {

bool starts_daemon(Verb verb) {
  return verb == Verb::start || verb == Verb::list || verb == Verb::jlist || verb == Verb::prettylist ||
         verb == Verb::resurrect;
}

Result<Client> reach_daemon(const Context& context) {
  if (!starts_daemon(context.arguments.verb)) return Client::connect(context.paths.control_socket);
  return launch_daemon(context);
}

Result<Client> launch_daemon(const Context& context) {
  auto launched = connect_or_launch(context.paths, context.caller);
  if (!launched) return fail(launched.error());
  if (launched->launched) {
    context.console.note("clusterd daemon started (pid " + std::to_string(launched->client.greeting().pid) +
                         ", home " + context.paths.home + ")");
  }
  return std::move(launched->client);
}

std::string absolute_home(const std::string& home, const Caller& caller) {
  return home.empty() ? home : join_path(caller.cwd, home);
}

}  // namespace clusterd::cli
