// `clusterd start`: resolve every word, then one request per kind of start.
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/json_read.h"
#include "cli/operation_run.h"
#include "cli/start_resolution.h"
#include "common/json_text.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

Result<KnownApps> ask_daemon(Client& client, const std::string& target) {
  KnownApps known;
  auto all = client.call("list", json::object());
  if (!all) return fail(all.error());
  std::set<std::string> names;
  for (const json& instance : member_of(all->result, "instances")) names.insert(text_of(instance, "name"));
  known.names.assign(names.begin(), names.end());
  auto selected = client.call("list", {{"targets", {target}}});
  if (!selected) return fail(selected.error());
  if (!selected->error) {
    known.matches = !member_of(selected->result, "instances").empty();
  } else if (selected->error->code != ErrorCode::not_found && selected->error->code != ErrorCode::usage) {
    return fail(*selected->error);  // for instance a name that two namespaces have
  }
  return known;
}

json request_of(const StartStep& step, const Arguments& arguments, const Caller& caller) {
  json args{{"wait", arguments.wait}};
  if (step.kind == StartStep::Kind::known) {
    args["targets"] = step.targets;
    if (arguments.update_env) {
      args["inherited_env"] = environment_to_json(inherited_environment(caller.environment));
    }
    return args;
  }
  args["mode"] = step.kind == StartStep::Kind::new_apps ? "new" : "apply";
  args["apps"] = json::array();
  for (const AppSpec& app : step.apps) args["apps"].push_back(to_json(app));
  return args;
}

std::string outcome_line(const json& app, bool waited) {
  std::string outcome = text_of(app, "outcome");
  if (outcome == "already_running") outcome = "is running already";
  if (outcome == "started" && !waited) outcome = "is starting";
  return text_of(app, "name") + ": " + outcome;
}

}  // namespace

int run_start(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  auto plan = resolve_start(context.arguments, context.caller,
                            [&](const std::string& target) { return ask_daemon(*client, target); });
  if (!plan) return report(plan.error(), context.console);
  for (const std::string& warning : plan->warnings) context.console.note("warning: " + warning);
  for (const std::string& choice : plan->choices) context.console.note(choice);
  int status = 0;
  json started = json::array();
  for (const StartStep& step : plan->steps) {
    const char* op = step.kind == StartStep::Kind::known ? "start_known" : "start";
    OperationOutcome outcome =
        run_operation(*client, op, request_of(step, context.arguments, context.caller), context.console);
    if (status == 0) status = outcome.status;
    for (const json& app : member_of(outcome.result, "apps")) {
      if (outcome.ok()) context.console.note(outcome_line(app, context.arguments.wait));
      started.push_back(app);
    }
  }
  if (context.arguments.json) context.console.out(to_line({{"apps", started}}) + "\n");
  return status;
}

}  // namespace clusterd::cli
