// The verbs that print what the daemon knows: list, jlist, describe, balance, env, pid, id, ping, doctor.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/balance_view.h"
#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/describe_view.h"
#include "cli/json_read.h"
#include "cli/list_order.h"
#include "cli/list_view.h"
#include "cli/operation_run.h"
#include "cli/pm2_json.h"
#include "cli/small_views.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

json array_of(std::vector<json> values) { return json(std::move(values)); }

// What to ask the daemon for a verb.
struct Question {
  std::string op;
  json args = json::object();
};

Question question_of(const Arguments& arguments) {
  const auto& words = arguments.targets;
  switch (arguments.verb) {
    case Verb::describe:
    case Verb::balance:
      return {"describe", {{"target", words.at(0)}}};
    case Verb::env:
      return {"env", {{"id", words.at(0)}}};
    case Verb::ping:
      return {"ping"};
    case Verb::doctor:
      return {"doctor"};
    case Verb::id:
      return {"list"};  // filtered here: a name, never a namespace or id
    default:
      break;
  }
  Question list{"list"};
  if (!words.empty()) list.args["targets"] = words;
  // A long list is told and read in a third of the time without what nobody will see.
  if (arguments.verb == Verb::list && !arguments.json && !arguments.mini_list)
    list.args["fields"] = kListFields;
  return list;
}

// In the order --sort asks for, else in the usual one.
std::vector<json> listed(const Arguments& arguments, const json& instances) {
  std::vector<json> list = sorted_instances(instances);
  if (!arguments.sort_field.empty()) sort_instances(list, arguments.sort_field, arguments.sort_descending);
  return list;
}

std::string render_json(const Arguments& arguments, const json& result) {
  const json& instances = member_of(result, "instances");
  switch (arguments.verb) {
    case Verb::list:
      return to_line(array_of(listed(arguments, instances)));
    case Verb::balance:
      return to_line(balance_json(member_of(result, "apps")));
    case Verb::env:
      return to_line(member_of(result, "env"));
    case Verb::pid: {
      json pids = json::array();
      for (const json& instance : sorted_instances(instances)) {
        if (auto pid = integer_of(instance, "pid")) pids.push_back(*pid);
      }
      return to_line(pids);
    }
    default:
      return to_line(result);
  }
}

std::string render(const Arguments& arguments, const json& result, const Style& style) {
  const json& instances = member_of(result, "instances");
  switch (arguments.verb) {
    case Verb::jlist:
      return to_line(pm2_list(instances)) + "\n";
    case Verb::prettylist:
      return to_indented(pm2_list(instances)) + "\n";
    case Verb::id:
      return render_ids(instances, arguments.targets.at(0));
    default:
      break;
  }
  if (arguments.json) return render_json(arguments, result) + "\n";
  switch (arguments.verb) {
    case Verb::describe:
      return render_describe(member_of(result, "apps"), style);
    case Verb::balance:
      return render_balance(member_of(result, "apps"), style);
    case Verb::env:
      return render_env(member_of(result, "env"));
    case Verb::pid:
      return render_pids(instances);
    case Verb::doctor:
      return render_doctor(member_of(result, "checks"), style);
    case Verb::ping:
      return "pong (clusterd " + printable(text_of(result, "version")) + ", pid " +
             std::to_string(integer_of(result, "pid").value_or(0)) + ")\n";
    default:
      return arguments.mini_list ? render_mini_list(listed(arguments, instances))
                                 : render_rows(listed(arguments, instances), style);
  }
}

}  // namespace

int run_show(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  Question question = question_of(context.arguments);
  auto response = client->call(question.op, std::move(question.args));
  if (!response) return report(response.error(), context.console);
  // Scripts ask whether something runs: no pid is an answer, as in PM2.
  if (context.arguments.verb == Verb::pid && response->error && response->error->code == ErrorCode::not_found)
    return 0;
  if (response->error) return report(*response, context.console);
  context.console.out(render(context.arguments, response->result, context.console.out_style()));
  bool empty_list = context.arguments.verb == Verb::list && member_of(response->result, "instances").empty();
  if (empty_list && context.console.out_style().frame == Style::Frame::box) {
    context.console.note("no apps yet; for example: clusterd start ./server -i max");
  }
  return 0;
}

}  // namespace clusterd::cli
