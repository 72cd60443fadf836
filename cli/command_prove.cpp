// `clusterd prove`: runs an app in a private room under load while it is reloaded, killed, restarted, scaled.
#include "cli/command.h"
#include "cli/operation_run.h"
#include "cli/prove/private_room.h"
#include "cli/prove/prove_run.h"
#include "cli/prove/prove_target.h"

namespace clusterd::cli {

int run_prove(const Context& context) {
  auto specs = specs_to_prove(context);
  if (!specs) return report(specs.error(), context.console);
  auto outcome = in_private_room(
      context.caller, [&](const std::string& folder) { return prove_in(folder, *specs, context); });
  if (!outcome) return report(outcome.error(), context.console);
  if (outcome->signal_number != 0) {
    context.console.end_progress();
    context.console.error("ended by signal " + std::to_string(outcome->signal_number) +
                          "; the private app and its daemon have been ended as well");
  }
  return outcome->status;
}

}  // namespace clusterd::cli
