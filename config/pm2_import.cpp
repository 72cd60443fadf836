#include "config/pm2_import.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "common/app_name.h"
#include "common/json_text.h"
#include "common/path_text.h"
#include "config/app_fields.h"
#include "config/foreign_keys.h"
#include "config/pm2_environment.h"

namespace clusterd {
namespace {

using nlohmann::json;

struct SameKey {
  std::string_view from;  // of the record
  std::string_view to;    // of the app file
};

// What means the same in both, as long as the table of app fields accepts the value.
constexpr std::array kCarriedOver{
    SameKey{"args", "args"},
    SameKey{"node_args", "interpreter_args"},
    SameKey{"autorestart", "autorestart"},
    SameKey{"autostart", "autostart"},
    SameKey{"min_uptime", "min_uptime"},
    SameKey{"max_restarts", "max_restarts"},
    SameKey{"restart_delay", "restart_delay"},
    SameKey{"exp_backoff_restart_delay", "exp_backoff_restart_delay"},
    SameKey{"max_memory_restart", "max_memory_restart"},
    SameKey{"cron_restart", "cron_restart"},
    SameKey{"watch", "watch"},
    SameKey{"ignore_watch", "ignore_watch"},
    SameKey{"watch_delay", "watch_delay"},
    SameKey{"stop_exit_codes", "stop_exit_codes"},
    SameKey{"kill_timeout", "kill_timeout"},
    SameKey{"listen_timeout", "listen_timeout"},
    SameKey{"wait_ready", "wait_ready"},
    SameKey{"shutdown_with_message", "shutdown_with_message"},
    SameKey{"treekill", "treekill"},
    SameKey{"instance_var", "instance_var"},
    SameKey{"increment_var", "increment_var"},
    SameKey{"filter_env", "filter_env"},
    SameKey{"log_date_format", "log_date_format"},
    SameKey{"log_type", "log_type"},
    SameKey{"time", "time"},
    SameKey{"disable_logs", "disable_logs"},
    SameKey{"uid", "uid"},
    SameKey{"gid", "gid"},
};

// Read elsewhere in this file, or PM2's book-keeping.
constexpr std::array<std::string_view, 31> kHandled{"name",
                                                    "namespace",
                                                    "env",
                                                    "status",
                                                    "pm_exec_path",
                                                    "exec_interpreter",
                                                    "exec_mode",
                                                    "instances",
                                                    "merge_logs",
                                                    "created_at",
                                                    "restart_time",
                                                    "unstable_restarts",
                                                    "version",
                                                    "versioning",
                                                    "node_version",
                                                    "exit_code",
                                                    "km_link",
                                                    "vizion_running",
                                                    "unique_id",
                                                    "username",
                                                    "prev_restart_delay",
                                                    "kill_retry_time",
                                                    "windowsHide",
                                                    "vizion",
                                                    "pmx",
                                                    "automation",
                                                    "monit",
                                                    "pid",
                                                    "env_file",
                                                    "command",
                                                    "NODE_APP_INSTANCE"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

std::string text_of(const json& record, std::string_view key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int number_of(const json& record, std::string_view key, int otherwise) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_integer() ? found->get<int>() : otherwise;
}

// As the value of an app file: nothing given means the default.
bool is_empty(const json& value) {
  return value.is_null() || (value.is_array() && value.empty()) || value == "" ||
         (value.is_object() && value.empty());
}

bool is_default(std::string_view key, const json& value) {
  AppSpec standard;
  const AppField* field = find_app_field(key);
  return value == field->write(standard);
}

// One process of PM2's list; those of one name are one app.
struct Record {
  json fields;
  int id = -1;
};

// The dump has no ids, but the name of the pid file ends in it.
int id_of(const json& element, const json& fields) {
  const int id = number_of(element, "pm_id", number_of(fields, "pm_id", -1));
  if (id >= 0) return id;
  const std::string name(stem(text_of(fields, "pm_pid_path")));
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos || dash + 1 == name.size() || name.size() - dash > 8) return -1;
  const std::string digits = name.substr(dash + 1);
  return digits.find_first_not_of("0123456789") == digits.npos ? std::stoi(digits) : -1;
}

class Converter {
 public:
  explicit Converter(const Pm2Surroundings& surroundings) : around_(surroundings) {}

  json convert(const std::vector<Record>& records, std::string name) {
    records_ = records;
    name_ = std::move(name);
    result_ = {{"name", name_}};
    const std::string name_space = text_of(first(), "namespace");
    if (!name_space.empty() && name_space != "default") set("namespace", "namespace", name_space);
    set("pm_exec_path", "script", text_of(first(), "pm_exec_path"));
    set("pm_cwd", "cwd", text_of(first(), "pm_cwd"));
    set("exec_interpreter", "interpreter", text_of(first(), "exec_interpreter"));
    convert_count();
    for (const SameKey& key : kCarriedOver) {
      if (first().contains(key.from)) set(key.from, key.to, first()[key.from]);
    }
    convert_files();
    convert_status();
    convert_environment();
    check_pairs();
    note_the_rest();
    return std::move(result_);
  }

  std::vector<std::string>& notices() { return notices_; }

 private:
  const json& first() const { return records_.front().fields; }

  void note(std::string_view key, const std::string& what) {
    notices_.push_back(name_ + ": " + std::string(key) + " " + what);
  }

  // Only what differs from the default here, and what the parser will take.
  void set(std::string_view from, std::string_view to, json value) {
    if (is_empty(value)) return;
    if ((to == "uid" || to == "gid") && value.is_number()) value = value.dump();
    if (to != "interpreter" && to != "script" && is_default(to, value)) return;
    AppSpec scratch;
    FieldProblems problems;
    find_app_field(to)->read(value, scratch, problems);
    if (problems.empty()) {
      result_[std::string(to)] = std::move(value);
    } else {
      note(from, "is left out: " + problems.front().message);
    }
  }

  void convert_count() {
    const std::size_t count = records_.size();
    const bool cluster_mode = text_of(first(), "exec_mode") == "cluster_mode";
    if (cluster_mode) result_["exec_mode"] = "cluster";
    if (!cluster_mode && count > 1) result_["exec_mode"] = "fork";
    if (cluster_mode || count > 1) result_["instances"] = count;
    if (count > 1 && first().value("merge_logs", json(false)) == true) result_["merge_logs"] = true;
  }

  // PM2 puts the id of the process before the extension, unless logs are merged.
  std::string without_id(std::string path) const {
    const std::string suffix = "-" + std::to_string(records_.front().id);
    const std::string ending(extension(path));
    const std::string body = path.substr(0, path.size() - ending.size());
    return body.ends_with(suffix) ? body.substr(0, body.size() - suffix.size()) + ending : path;
  }

  // A dump may come from another home than the present one; the record says which.
  bool is_pm2s_own(const std::string& path) const {
    const std::string home = text_of(first().value("env", json::object()), "PM2_HOME");
    return path.starts_with(around_.home + "/") || (!home.empty() && path.starts_with(home + "/"));
  }

  void convert_files() {
    constexpr std::array kFiles{SameKey{"pm_out_log_path", "out_file"},
                                SameKey{"pm_err_log_path", "error_file"}, SameKey{"pm_log_path", "log_file"},
                                SameKey{"pm_pid_path", "pid_file"}};
    const bool merged = first().value("merge_logs", json(false)) == true;
    for (const SameKey& file : kFiles) {
      const std::string path = text_of(first(), file.from);
      if (path.empty() || is_pm2s_own(path)) continue;
      set(file.from, file.to, merged && file.to != "pid_file" ? path : without_id(path));
    }
  }

  void convert_status() {
    const auto runs = [](const Record& record) {
      const std::string status = text_of(record.fields, "status");
      return status != "stopped" && status != "stopping" && status != "errored";
    };
    const auto running = std::ranges::count_if(records_, runs);
    if (running > 0 && running < static_cast<long>(records_.size()))
      note("status", "differs between instances: all of them will be started");
    if (running > 0) return;
    result_["autostart"] = false;
    note("status", "is " + text_of(first(), "status") + " in PM2: autostart is false, so that it stays down");
  }

  void convert_environment() {
    const json variables = app_variables(first().value("env", json::object()), text_of(first(), "name"),
                                         around_.environment, notices_);
    if (!variables.empty()) result_["env"] = variables;
    for (const auto& [key, value] : first().items()) {
      if (!env_profile_of_key(key) || !value.is_object()) continue;
      const json profile = app_variables(value, name_, {}, notices_);
      if (!profile.empty()) result_[key] = profile;
    }
  }

  // What the parser refuses only together with another key.
  void check_pairs() {
    json& app = result_;
    const bool runs_itself = !app.contains("interpreter") || app["interpreter"] == "none";
    if (runs_itself && app.erase("interpreter_args") > 0)
      note("node_args", "is left out: there is no interpreter to give them to");
    if (app.value("cwd", "") == "/" && app.value("watch", json(false)) == true) {
      app.erase("watch");
      note("watch", "is left out: it would watch the whole system");
    }
    if (app.contains("args") && to_line(app["args"]).find("${socket.") != std::string::npos) {
      app.erase("args");
      note("args", "is left out: \"${socket.NAME}\" has a meaning of its own here");
    }
  }

  void note_the_rest() {
    const json variables = first().value("env", json::object());
    for (const auto& [key, value] : first().items()) {
      const bool carried = std::ranges::find(kCarriedOver, key, &SameKey::from) != kCarriedOver.end();
      if (carried || has(kHandled, key) || env_profile_of_key(key) || variables.contains(key)) continue;
      if (key.starts_with("pm_") || key.starts_with("_") || key.starts_with("axm_")) continue;
      if (is_empty(value) || value == false || key == text_of(first(), "instance_var")) continue;
      const ForeignKey* foreign = find_foreign_key(key);
      note(key, foreign != nullptr ? std::string(foreign->why) : "is left out: it has no counterpart here");
    }
  }

  const Pm2Surroundings& around_;
  std::vector<Record> records_;
  std::string name_;
  json result_;
  std::vector<std::string> notices_;
};

// A name that could not be a file's here, or is in use by another script already, gets another one.
std::string good_name(const std::string& name, const std::set<std::string>& taken) {
  std::string good = name;
  std::ranges::replace(good, '/', '-');
  while (good.starts_with('-') || good.starts_with('.')) good.erase(0, 1);
  if (!check_app_name(good)) good = "app";
  std::string numbered = good;
  for (int number = 2; taken.contains(numbered); ++number) numbered = good + "-" + std::to_string(number);
  return numbered;
}

}  // namespace

Result<Pm2Import> import_pm2(const json& records, const Pm2Surroundings& surroundings) {
  if (!records.is_array()) return fail(ErrorCode::config, "PM2's list is not an array of processes");
  if (records.size() > kPm2RecordsMax)
    return fail(ErrorCode::config,
                "PM2's list has more than " + std::to_string(kPm2RecordsMax) + " processes");
  Pm2Import result;
  std::vector<std::vector<Record>> apps;
  std::map<std::string, std::size_t> index;
  for (const json& element : records) {
    if (!element.is_object()) return fail(ErrorCode::config, "PM2's list holds something that is no process");
    const json& fields =
        element.contains("pm2_env") && element["pm2_env"].is_object() ? element["pm2_env"] : element;
    const std::string name = text_of(fields, "name");
    if (fields.contains("pmx_module") && fields["pmx_module"] == true) {
      result.notices.push_back(name + ": is left out: it is a module of PM2");
      continue;
    }
    const std::string script = text_of(fields, "pm_exec_path");
    if (script.empty() || !is_absolute(script)) {
      result.notices.push_back((name.empty() ? "a process" : name) + ": is left out: it has no pm_exec_path");
      continue;
    }
    const std::string key =
        json{text_of(fields, "namespace"), name, script}.dump(-1, ' ', true, json::error_handler_t::replace);
    const auto [found, added] = index.emplace(key, apps.size());
    if (added) apps.emplace_back();
    apps[found->second].push_back({fields, id_of(element, fields)});
  }
  Converter converter(surroundings);
  std::set<std::string> taken;
  for (const std::vector<Record>& app : apps) {
    const std::string theirs = text_of(app.front().fields, "name");
    const std::string name = good_name(theirs, taken);
    taken.insert(name);
    if (name != theirs) result.notices.push_back(theirs + ": is called '" + name + "' here");
    result.apps.push_back(converter.convert(app, name));
    if (!surroundings.user.empty() && !result.apps.back().contains("uid"))
      result.apps.back()["uid"] = surroundings.user;
    std::vector<int>& ids = result.ids.emplace_back();
    for (const Record& record : app) {
      if (record.id >= 0) ids.push_back(record.id);
    }
  }
  std::ranges::move(converter.notices(), std::back_inserter(result.notices));
  return result;
}

std::string ecosystem_text(const Pm2Import& import) { return to_indented({{"apps", import.apps}}) + "\n"; }

}  // namespace clusterd
