#include "cli/prove/prove_target.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "cli/client.h"
#include "cli/json_read.h"
#include "cli/start_resolution.h"
#include "config/field_values.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

// The daemon of the user, if there is one; it is only asked.
class KnownAppsDesk {
 public:
  explicit KnownAppsDesk(const std::string& socket) : client_(Client::connect(socket)) {}

  Result<KnownApps> match(const std::string& target);
  Result<std::vector<AppSpec>> specs(const std::string& target);

 private:
  Result<json> ask(const std::string& op, json args);

  Result<Client> client_;
};

Result<json> KnownAppsDesk::ask(const std::string& op, json args) {
  if (!client_) return fail(client_.error());
  auto response = client_->call(op, std::move(args));
  if (!response) return fail(response.error());
  if (response->error) return fail(*response->error);
  return std::move(response->result);
}

Result<KnownApps> KnownAppsDesk::match(const std::string& target) {
  KnownApps known;
  if (!client_ && client_.error().code == ErrorCode::no_daemon) return known;
  auto all = ask("list", json::object());
  if (!all) return fail(all.error());
  std::set<std::string> names;
  for (const json& instance : member_of(*all, "instances")) names.insert(text_of(instance, "name"));
  known.names.assign(names.begin(), names.end());
  auto selected = ask("list", {{"targets", {target}}});
  if (selected) {
    known.matches = !member_of(*selected, "instances").empty();
  } else if (selected.error().code != ErrorCode::not_found && selected.error().code != ErrorCode::usage) {
    return fail(selected.error());
  }
  return known;
}

// `describe` leaves the environment out, `env` has it: that of the first instance.
Result<std::vector<AppSpec>> KnownAppsDesk::specs(const std::string& target) {
  auto described = ask("describe", {{"target", target}});
  if (!described) return fail(described.error());
  std::vector<AppSpec> specs;
  for (const json& app : member_of(*described, "apps")) {
    auto spec = parse_resolved_app(member_of(app, "spec"));
    if (!spec) return fail(spec.error());
    const json& instances = member_of(app, "instances");
    std::optional<std::int64_t> id;
    for (const json& instance : instances)
      id = std::min(id.value_or(INT64_MAX), integer_of(instance, "id").value_or(INT64_MAX));
    if (id) {
      auto answer = ask("env", {{"id", *id}});
      if (!answer) return fail(answer.error());
      auto environment = environment_from_json(member_of(*answer, "env"));
      if (!environment) return fail(environment.error());
      spec->inherited_env = inherited_environment(*environment);
    }
    specs.push_back(std::move(*spec));
  }
  return specs;
}

// -i is a setting of any app here, not only of a program.
Result<std::optional<InstanceCount>> take_instances(Arguments& arguments) {
  std::optional<InstanceCount> count;
  for (const AppSetting& setting : arguments.app_settings) {
    if (setting.key != "instances") continue;
    InstanceCount wanted;
    FieldProblems problems;
    read_instances(json(setting.values.back()), wanted, problems);
    if (!problems.empty()) return fail(ErrorCode::config, "instances: " + problems.front().message);
    count = wanted;
  }
  std::erase_if(arguments.app_settings, [](const AppSetting& setting) { return setting.key == "instances"; });
  return count;
}

bool shares_sockets(const AppSpec& spec) { return spec.exec_mode == ExecMode::cluster; }

void adapt(AppSpec& spec, const std::optional<InstanceCount>& count) {
  spec.out_file.clear();
  spec.error_file.clear();
  spec.log = {};
  spec.pid_file.clear();
  if (!shares_sockets(spec)) return;
  spec.instances_given = true;
  if (count) {
    spec.instances = *count;
    return;
  }
  int cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (resolve_instances(spec.instances, cpus) < kProveInstancesMin) {
    spec.instances = {InstanceCount::Kind::exactly, kProveInstancesMin};
  }
}

}  // namespace

Result<std::vector<AppSpec>> specs_to_prove(const Context& context) {
  Arguments arguments = context.arguments;
  auto count = take_instances(arguments);
  if (!count) return fail(count.error());
  KnownAppsDesk desk(context.paths.control_socket);
  auto plan =
      resolve_start(arguments, context.caller, [&](const std::string& target) { return desk.match(target); });
  if (!plan) return fail(plan.error());
  for (const std::string& line : plan->executed) context.console.note(line);
  for (const std::string& warning : plan->warnings) context.console.note("warning: " + warning);
  for (const std::string& choice : plan->choices) context.console.note(choice);
  std::vector<AppSpec> specs;
  for (StartStep& step : plan->steps) {
    std::ranges::move(step.apps, std::back_inserter(specs));
    for (const std::string& target : step.targets) {
      auto known = desk.specs(target);
      if (!known) return fail(known.error());
      std::ranges::move(*known, std::back_inserter(specs));
    }
  }
  for (AppSpec& spec : specs) adapt(spec, *count);
  if (std::ranges::none_of(specs, shares_sockets)) {
    return fail(ErrorCode::config, specs.front().name +
                                       ": exec_mode is fork, so clusterd does not share its sockets and a "
                                       "reload has a gap by nature; there is nothing to prove");
  }
  return specs;
}

void move_unix_sockets(std::vector<AppSpec>& specs, const std::string& folder) {
  int number = 0;
  for (AppSpec& spec : specs) {
    for (ListenEntry& entry : spec.listen) {
      ListenAddress& address = entry.address;
      bool is_file = address.family == AddressFamily::unix_stream && !address.path.starts_with('@');
      if (is_file) address.path = folder + "/" + std::to_string(number++) + ".sock";
    }
  }
}

}  // namespace clusterd::cli
