// The verbs that change something the daemon already has: stop, restart, reload, delete, scale, sendSignal,
// send, reset, flush, reloadLogs, save, resurrect, kill.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/app_sources.h"
#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/file_targets.h"
#include "cli/json_read.h"
#include "cli/operation_run.h"
#include "common/json_text.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

struct ControlRow {
  Verb verb;
  const char* op;
  const char* done;  // "stopped 4 instances"
};

constexpr ControlRow kRows[] = {
    {Verb::stop, "stop", "stopped"},
    {Verb::restart, "restart", "restarted"},
    {Verb::reload, "reload", "reloaded"},
    {Verb::promote, "promote", "promoted, reloaded"},
    {Verb::abort, "abort", "took away"},
    {Verb::remove, "delete", "deleted"},
    {Verb::scale, "scale", "scaled"},
    {Verb::send_signal, "signal", "sent the signal to"},
    {Verb::send, "send", "sent the line to"},
    {Verb::reset, "reset", "reset the counters of"},
    {Verb::flush, "flush", "emptied"},
    {Verb::reload_logs, "reload_logs", "opened anew"},
    {Verb::cleardump, "clear_saved", "emptied"},
    {Verb::save, "save", "saved"},
    {Verb::resurrect, "resurrect", "resurrected"},
    {Verb::kill, "kill", "stopped"},
};

const ControlRow& row_of(Verb verb) { return *std::ranges::find(kRows, verb, &ControlRow::verb); }

bool waits(Verb verb) {
  return verb == Verb::stop || verb == Verb::restart || verb == Verb::reload || verb == Verb::remove ||
         verb == Verb::scale || verb == Verb::resurrect || verb == Verb::promote || verb == Verb::abort;
}

json request_of(const Arguments& arguments, const Caller& caller) {
  json args = json::object();
  const auto& words = arguments.targets;
  if (waits(arguments.verb)) args["wait"] = arguments.wait;
  if (arguments.now) args["now"] = true;
  if (arguments.force) args["force"] = true;
  if (arguments.update_env)
    args["inherited_env"] = environment_to_json(inherited_environment(caller.environment));
  if (arguments.canary) args["canary"] = *arguments.canary;
  if (!arguments.app_settings.empty()) args["settings"] = settings_of_command_line(arguments, caller);
  switch (arguments.verb) {
    case Verb::promote:
    case Verb::abort:
      args["target"] = words.at(0);
      break;
    case Verb::scale:
      args["target"] = words.at(0);
      args["count"] = words.at(1);
      break;
    case Verb::send_signal:
      args["signal"] = words.at(0);
      args["targets"] = std::vector<std::string>(words.begin() + 1, words.end());
      break;
    case Verb::send:
      args["target"] = words.at(0);
      args["line"] = words.at(1);
      break;
    case Verb::reload_logs:
    case Verb::save:
    case Verb::resurrect:
    case Verb::cleardump:
    case Verb::kill:
      break;
    default:
      args["targets"] = words;
  }
  return args;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string summary_of(const Arguments& arguments, const json& result) {
  std::string done = row_of(arguments.verb).done;
  switch (arguments.verb) {
    case Verb::scale:
      return arguments.targets.at(0) + ": " + std::to_string(integer_of(result, "from").value_or(0)) +
             " -> " + counted(integer_of(result, "to").value_or(0), "instance");
    case Verb::flush:
    case Verb::reload_logs:
      return done + " " + counted(static_cast<std::int64_t>(member_of(result, "files").size()), "log file");
    case Verb::save:
      return done + " " + counted(integer_of(result, "apps").value_or(0), "app") + " in " +
             text_of(result, "path");
    case Verb::resurrect:
      return done + " " + counted(static_cast<std::int64_t>(member_of(result, "apps").size()), "app");
    case Verb::kill:
      return "clusterd stopped";
    case Verb::cleardump:
      return done + " " + text_of(result, "path");
    default:
      break;
  }
  std::int64_t count = integer_of(result, "count").value_or(0);
  if (waits(arguments.verb) && !arguments.wait)
    return "the daemon goes on with " + counted(count, "instance");
  if (arguments.canary) {
    return arguments.targets.at(0) + ": the canary, instance " +
           std::to_string(integer_of(result, "slot").value_or(0)) +
           ", serves beside the others; `promote` or `abort`";
  }
  return done + " " + counted(count, "instance");
}

// "Nothing to do" is success: a deploy script that begins with `delete all` must not fail on a fresh machine.
bool is_satisfied_without_daemon(const Arguments& arguments) {
  if (arguments.verb == Verb::kill) return true;
  if (arguments.verb != Verb::stop && arguments.verb != Verb::remove) return false;
  return std::ranges::all_of(arguments.targets, [](const std::string& target) { return target == "all"; });
}

// Carries out what the arguments say by now.
int control(const Context& context, Client& client) {
  const Arguments& arguments = context.arguments;
  OperationOutcome outcome = run_operation(client, row_of(arguments.verb).op,
                                           request_of(arguments, context.caller), context.console);
  if (!outcome.ok()) return outcome.status;
  context.console.note(summary_of(arguments, outcome.result));
  if (arguments.json) context.console.out(to_line(outcome.result) + "\n");
  return 0;
}

int nothing_to_do(const Context& context, const char* why) {
  context.console.note(why);
  if (context.arguments.json) context.console.out("{\"count\":0}\n");
  return 0;
}

}  // namespace

int run_control(const Context& context) {
  const Arguments& arguments = context.arguments;
  const bool has_file = names_file(arguments, context.caller);
  if (auto checked = check_file_options(arguments, has_file); !checked)
    return report(checked.error(), context.console);
  if (has_file && (arguments.verb == Verb::restart || arguments.verb == Verb::reload))
    return run_apply(context);
  auto client = reach_daemon(context);
  if (!client && client.error().code == ErrorCode::no_daemon && is_satisfied_without_daemon(arguments))
    return nothing_to_do(context, "nothing is running");
  if (!client) return report(client.error(), context.console);
  if (!has_file) return control(context, *client);
  auto resolved = with_files_resolved(context, *client);
  if (!resolved) return report(resolved.error(), context.console);
  if (resolved->targets.empty()) return nothing_to_do(context, "nothing of it is in the list");
  return control({*resolved, context.caller, context.paths, context.console}, *client);
}

}  // namespace clusterd::cli
