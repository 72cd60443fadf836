// `adopt PID`: an app takes the place of a server that somebody else has started, on its own listening
// sockets.
#include <charconv>
#include <optional>
#include <vector>

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
  auto command = command_of(process, context.arguments, context.caller);
  if (!command) return fail(command.error());
  auto source = app_of_command_line(command->script, command->arguments, command->caller);
  if (!source) return fail(source.error());
  for (const std::string& warning : source->warnings) context.console.note("warning: " + warning);
  AppSpec app = std::move(source->apps.front());
  if (app.autostart) return app;
  return fail(ErrorCode::usage,
              "an app that is not to be started cannot take anybody's place (--no-autostart)");
}

std::vector<ProcessHandle> handles_of(const std::vector<pid_t>& tree) {
  std::vector<ProcessHandle> handles;
  for (const pid_t pid : tree) {
    if (auto handle = ProcessHandle::open(pid)) handles.push_back(std::move(*handle));
  }
  return handles;
}

// The first one, which may end the others, then whoever is left of them: a child that goes on would serve
// beside the app. They may have requests to finish, and are not ours to kill.
Result<> end_of(const std::vector<ProcessHandle>& processes, const AppSpec& app) {
  const int signal = kill_signal_of(app);
  std::optional<Milliseconds> limit;
  if (app.kill_timeout != kNoTimeLimit) limit = app.drain_timeout + app.kill_timeout;
  if (auto sent = processes.front().signal(signal); !sent) return sent;
  bool ended = processes.front().wait_for_end(limit);
  for (const ProcessHandle& one : processes) {
    if (one.ended()) continue;
    if (auto sent = one.signal(signal); !sent) return sent;
  }
  std::string left;
  for (const ProcessHandle& one : processes) {
    if (!one.wait_for_end(ended ? limit : Milliseconds(0)))
      left += (left.empty() ? "" : ", ") + std::to_string(one.pid());
    ended = left.empty();
  }
  if (left.empty()) return {};
  return fail(ErrorCode::failed, app.name + " serves, but what was there before has not ended on " +
                                     signal_name(signal) + " and serves, too; end it yourself: process " +
                                     left);
}

}  // namespace

int run_adopt(const Context& context) {
  auto pid = pid_of(context.arguments.targets.front());
  if (!pid) return report(pid.error(), context.console);
  auto main_process = ProcessHandle::open(*pid);
  if (!main_process) return report(main_process.error(), context.console);
  auto process = look_at_process(*pid);
  if (!process) return report(process.error(), context.console);
  const std::vector<ProcessHandle> processes = handles_of(process->tree);
  auto app = spec_of(context, *process);
  if (!app) return report(app.error(), context.console);
  auto client = launch_daemon(context);
  if (!client) return report(client.error(), context.console);
  const std::string who = "process " + std::to_string(*pid);
  if (client->greeting().pid == *pid)
    return report({ErrorCode::conflict, who + " is the daemon itself"}, context.console);
  if (main_process->ended() || processes.empty())
    return report({ErrorCode::not_found, who + " has just ended"}, context.console);
  if (process->environment.contains("INVOCATION_ID"))
    context.console.note("warning: " + who +
                         " was started by systemd; disable its unit, or it will be started again");
  if (auto taken = take_over(*client, {*app, process->tree}); !taken) {
    context.console.note(who + " was left as it is");
    return report(taken.error(), context.console);
  }
  if (auto ended = end_of(processes, *app); !ended) return report(ended.error(), context.console);
  context.console.note(app->name + ": took the place of " + who);
  return 0;
}

}  // namespace clusterd::cli
