// `events`: what happens to apps, one line each, until interrupted or until the daemon ends.
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/event_line.h"
#include "cli/operation_run.h"
#include "common/json_text.h"

namespace clusterd::cli {

using nlohmann::json;

int run_events(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  const auto on_event = [&](const Event& event) {
    // Scripts learn from it that they miss nothing from now on.
    if (event.event == "following" && !context.arguments.json) return Flow::go_on;
    std::string line = context.arguments.json ? to_line(event_object(event)) : event_line(event);
    return context.console.out(line + "\n") == Console::OutState::open ? Flow::go_on : Flow::stop;
  };
  auto response = client->call_watching("events", {{"targets", context.arguments.targets}}, on_event,
                                        {.output_fd = context.console.out_fd()});
  if (!response) return report(response.error(), context.console);
  if (*response && (*response)->error) return report(**response, context.console);
  return 0;
}

}  // namespace clusterd::cli
