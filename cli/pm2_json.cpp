#include "cli/pm2_json.h"

#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/list_view.h"
#include "common/signal_names.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

// PM2 has a number here; a death by signal is 128 + its number, as shells have it.
json exit_code_of(const json& instance) {
  const json& exit = member_of(instance, "exit");
  if (auto code = integer_of(exit, "code")) return *code;
  std::string name = text_of(exit, "signal");
  if (name.empty()) return nullptr;
  auto number = signal_from_name(name);
  return number ? json(128 + *number) : json(nullptr);
}

// A daemon of an earlier version does not say where the program was found.
std::string exec_path_of(const json& instance) {
  std::string path = text_of(instance, "exec_path");
  return path.empty() ? text_of(instance, "script") : path;
}

json or_null(const json& object, std::string_view key) { return member_of(object, key); }

json pm2_environment(const json& instance) {
  std::string interpreter = text_of(instance, "interpreter");
  return {
      {"name", text_of(instance, "name")},
      {"namespace", text_of(instance, "namespace")},
      {"version", version_text(instance)},
      {"status", text_of(instance, "status")},
      {"pm_uptime", or_null(instance, "started_at_ms")},
      {"created_at", or_null(instance, "created_at_ms")},
      {"restart_time", integer_of(instance, "restarts").value_or(0)},
      {"unstable_restarts", integer_of(instance, "unstable_restarts").value_or(0)},
      {"exit_code", exit_code_of(instance)},
      {"exec_mode", text_of(instance, "mode") == "fork" ? "fork_mode" : "cluster_mode"},
      {"instances", integer_of(instance, "instances").value_or(1)},
      {"pm_id", integer_of(instance, "id").value_or(0)},
      {"pm_exec_path", exec_path_of(instance)},
      {"pm_cwd", text_of(instance, "cwd")},
      {"args", or_null(instance, "args")},
      {"exec_interpreter", interpreter.empty() ? "none" : interpreter},
      {"pm_out_log_path", text_of(instance, "out_file")},
      {"pm_err_log_path", text_of(instance, "error_file")},
      {"pm_pid_path", text_of(instance, "pid_file")},
      {"watch", flag_of(instance, "watching")},
      {"autorestart", flag_of(instance, "autorestart")},
      {"autostart", flag_of(instance, "autostart")},
      {"treekill", flag_of(instance, "treekill")},
      {"cron_restart", or_null(instance, "cron_restart")},
      {"max_memory_restart", or_null(instance, "max_memory_restart")},
      {"merge_logs", flag_of(instance, "merge_logs")},
      {"node_args", or_null(instance, "interpreter_args")},
      {"username", text_of(instance, "user")},
      {"max_restarts", or_null(instance, "max_restarts")},
      {"NODE_APP_INSTANCE", integer_of(instance, "slot").value_or(0)},
  };
}

}  // namespace

json pm2_list(const json& instances) {
  json list = json::array();
  for (const json& instance : sorted_instances(instances)) {
    list.push_back({
        {"pid", integer_of(instance, "pid").value_or(0)},
        {"name", text_of(instance, "name")},
        {"pm_id", integer_of(instance, "id").value_or(0)},
        {"monit",
         {{"memory", integer_of(instance, "memory").value_or(0)},
          {"cpu", number_of(instance, "cpu").value_or(0)}}},
        {"pm2_env", pm2_environment(instance)},
        {"clusterd", {{"connections", or_null(instance, "connections")}}},
    });
  }
  return list;
}

}  // namespace clusterd::cli
