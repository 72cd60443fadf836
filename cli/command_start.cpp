// `clusterd start` and the verbs that make the world equal to an ecosystem file: resolve every word, then one
// request per kind of start.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/diff_view.h"
#include "cli/json_read.h"
#include "cli/local_files.h"
#include "cli/operation_run.h"
#include "cli/serve/serve_names.h"
#include "cli/serve_request.h"
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

// What is done with apps of a file that run already.
const char* apply_mode(Verb verb) {
  if (verb == Verb::restart || verb == Verb::start_or_restart) return "restart";
  if (verb == Verb::reload || verb == Verb::start_or_reload) return "reload";
  return "apply";
}

json apps_of(const StartStep& step) {
  json apps = json::array();
  for (const AppSpec& app : step.apps) apps.push_back(to_json(app));
  return apps;
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
  args["mode"] = step.kind == StartStep::Kind::new_apps ? "new" : apply_mode(arguments.verb);
  args["apps"] = apps_of(step);
  if (arguments.update_env) args["update_env"] = true;
  if (arguments.prune) args["prune"] = step.files;
  return args;
}

std::string outcome_line(const json& app, bool waited) {
  std::string outcome = text_of(app, "outcome");
  if (outcome == "already_running") outcome = "is running already";
  if (outcome == "registered") outcome = "is in the list and not started";
  if (outcome == "started" && !waited) outcome = "is starting";
  return text_of(app, "name") + ": " + outcome;
}

// What --only leaves out would look as if it were gone from the file.
Result<> check_prune(const Arguments& arguments, const StartPlan& plan) {
  if (!arguments.prune) return {};
  const bool from_files = std::ranges::all_of(plan.steps, [](const StartStep& step) {
    return step.kind == StartStep::Kind::apply_apps && !step.files.empty();
  });
  if (!from_files)
    return fail(ErrorCode::usage, "--prune goes by what an ecosystem file no longer names, so it needs one");
  if (arguments.only.empty()) return {};
  return fail(ErrorCode::usage, "--prune and --only do not go together: all other apps would be deleted");
}

int run_plan(const Context& context, Client& client, const StartPlan& plan) {
  if (auto checked = check_prune(context.arguments, plan); !checked)
    return report(checked.error(), context.console);
  for (const std::string& line : plan.executed) context.console.note(line);
  for (const std::string& warning : plan.warnings) context.console.note("warning: " + warning);
  for (const std::string& choice : plan.choices) context.console.note(choice);
  int status = 0;
  json started = json::array();
  for (const StartStep& step : plan.steps) {
    const char* op = step.kind == StartStep::Kind::known ? "start_known" : "start";
    OperationOutcome outcome =
        run_operation(client, op, request_of(step, context.arguments, context.caller), context.console);
    if (status == 0) status = outcome.status;
    for (const json& app : member_of(outcome.result, "apps")) {
      if (outcome.ok()) context.console.note(outcome_line(app, context.arguments.wait));
      started.push_back(app);
    }
  }
  if (context.arguments.json) context.console.out(to_line({{"apps", started}}) + "\n");
  return status;
}

}  // namespace

int run_start(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  auto plan = resolve_start(context.arguments, context.caller,
                            [&](const std::string& target) { return ask_daemon(*client, target); });
  if (!plan) return report(plan.error(), context.console);
  return run_plan(context, *client, *plan);
}

int run_serve(const Context& context) {
  const std::string program = own_folder() + "/" + serve::kProgram;
  auto start = serve_as_start(context.arguments, context.caller, program);
  if (!start) return report(start.error(), context.console);
  const Context as_start{*start, context.caller, context.paths, context.console};
  auto client = reach_daemon(as_start);
  if (!client) return report(client.error(), context.console);
  auto plan = resolve_start(*start, context.caller,
                            [&](const std::string& target) { return ask_daemon(*client, target); });
  if (!plan) return report(plan.error(), context.console);
  for (StartStep& step : plan->steps) {
    for (AppSpec& app : step.apps) add_credentials(start->serve, app);
  }
  return run_plan(as_start, *client, *plan);
}

int run_apply(const Context& context) {
  auto plan = resolve_files(context.arguments, context.caller);
  if (!plan) return report(plan.error(), context.console);
  auto client = launch_daemon(context);
  if (!client) return report(client.error(), context.console);
  return run_plan(context, *client, *plan);
}

int run_diff(const Context& context) {
  auto plan = resolve_files(context.arguments, context.caller);
  if (!plan) return report(plan.error(), context.console);
  if (auto checked = check_prune(context.arguments, *plan); !checked)
    return report(checked.error(), context.console);
  for (const std::string& line : plan->executed) context.console.note(line);
  for (const std::string& warning : plan->warnings) context.console.note("warning: " + warning);
  json apps = json::array();
  auto client = reach_daemon(context);
  if (!client && client.error().code != ErrorCode::no_daemon) return report(client.error(), context.console);
  for (const StartStep& step : plan->steps) {
    if (!client) {
      for (const AppSpec& app : step.apps) {
        apps.push_back({{"name", app.name},
                        {"namespace", app.name_space},
                        {"outcome", app.autostart ? "started" : "registered"},
                        {"changes", json::array()}});
      }
      continue;
    }
    json args{{"apps", apps_of(step)}};
    if (context.arguments.prune) args["prune"] = step.files;
    auto response = client->call("plan", std::move(args));
    if (!response) return report(response.error(), context.console);
    if (response->error) return report(*response, context.console);
    for (const json& app : member_of(response->result, "apps")) apps.push_back(app);
  }
  if (context.arguments.json) {
    context.console.out(to_line({{"apps", apps}}) + "\n");
  } else {
    context.console.out(render_diff(apps, context.console.out_style()));
  }
  return 0;
}

}  // namespace clusterd::cli
