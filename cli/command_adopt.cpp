// `adopt PID`: an app takes the place of a server that somebody else has started, on its own listening
// sockets.
#include <charconv>

#include "cli/adopted_app.h"
#include "cli/app_sources.h"
#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/operation_run.h"
#include "cli/running_process.h"
#include "cli/takeover.h"
#include "common/signal_names.h"

namespace clusterd::cli {
namespace {

constexpr std::string_view kInstanceVariable = "CLUSTERD_INSTANCE";

Result<pid_t> pid_of(const std::string& word) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error == std::errc() && end == word.data() + word.size() && pid > 1) return pid;
  return fail(ErrorCode::usage, "adopt needs the id of a process, not '" + word + "'");
}

Result<AppSpec> spec_of(const Context& context, const RunningProcess& process) {
  if (process.environment.contains(std::string(kInstanceVariable)))
    return fail(ErrorCode::conflict, "process " + std::to_string(process.pid) + " is of a clusterd already");
  const AdoptedCommand command = command_of(process, context.arguments, context.caller);
  auto source = app_of_command_line(command.script, command.arguments, command.caller);
  if (!source) return fail(source.error());
  for (const std::string& warning : source->warnings) context.console.note("warning: " + warning);
  return std::move(source->apps.front());
}

// It may have requests to finish. It is not ours to kill.
Result<> end_of(const ProcessHandle& process, const AppSpec& app, Console& console) {
  const std::string who = "process " + std::to_string(process.facts().pid);
  if (process.facts().environment.contains("INVOCATION_ID"))
    console.note("warning: " + who +
                 " was started by systemd; disable its unit, or it will be started again");
  const int signal = kill_signal_of(app);
  if (auto sent = process.signal(signal); !sent) return sent;
  if (process.wait_for_end(app.drain_timeout + app.kill_timeout)) return {};
  return fail(ErrorCode::failed, app.name + " serves, but " + who + " has not ended on " +
                                     signal_name(signal) + " and serves, too; end it yourself");
}

}  // namespace

int run_adopt(const Context& context) {
  auto pid = pid_of(context.arguments.targets.front());
  if (!pid) return report(pid.error(), context.console);
  auto process = ProcessHandle::open(*pid);
  if (!process) return report(process.error(), context.console);
  auto app = spec_of(context, process->facts());
  if (!app) return report(app.error(), context.console);
  auto client = launch_daemon(context);
  if (!client) return report(client.error(), context.console);
  if (client->greeting().pid == *pid)
    return report({ErrorCode::conflict, "process " + std::to_string(*pid) + " is the daemon itself"},
                  context.console);
  if (auto taken = take_over(*client, {*app, process->facts().tree}); !taken) {
    context.console.note("process " + std::to_string(*pid) + " was left as it is");
    return report(taken.error(), context.console);
  }
  if (auto ended = end_of(*process, *app, context.console); !ended)
    return report(ended.error(), context.console);
  context.console.note(app->name + ": took the place of process " + std::to_string(*pid));
  return 0;
}

}  // namespace clusterd::cli
