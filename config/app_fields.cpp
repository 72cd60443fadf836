#include "config/app_fields.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/signal_names.h"
#include "common/units.h"
#include "config/field_lists.h"
#include "config/field_row.h"
#include "config/field_values.h"
#include "config/log_fields.h"
#include "config/runtime_fields.h"

namespace clusterd {
namespace {

using nlohmann::json;

struct PathList {
  static constexpr std::string_view kType = "path_list";
  static void read(const json& value, std::vector<std::string>& target, FieldProblems& problems) {
    read_path_list(value, target, problems);
  }
  static json write(const std::vector<std::string>& value) { return value; }
};

struct Variables {
  static constexpr std::string_view kType = "environment";
  static void read(const json& value, Environment& target, FieldProblems& problems) {
    read_environment(value, target, problems);
  }
  static json write(const Environment& value) { return value; }
};

struct Balancing {
  static constexpr std::string_view kType = "balance";
  static void read(const json& value, Balance& target, FieldProblems& problems) {
    read_balance(value, target, problems);
  }
  static json write(Balance value) { return balance_word(value); }
};

struct Signal {
  static constexpr std::string_view kType = "signal";
  static void read(const json& value, int& target, FieldProblems& problems) {
    read_signal(value, target, problems);
  }
  static json write(int value) { return signal_name(value); }
};

struct ExitCodes {
  static constexpr std::string_view kType = "exit_codes";
  static void read(const json& value, std::vector<int>& target, FieldProblems& problems) {
    read_exit_codes(value, target, problems);
  }
  static json write(const std::vector<int>& value) { return value; }
};

struct Listen {
  static constexpr std::string_view kType = "listen";
  static void read(const json& value, std::vector<ListenEntry>& target, FieldProblems& problems) {
    read_listen(value, target, problems);
  }
  static json write(const std::vector<ListenEntry>& value) { return write_listen(value); }
};

struct SocketProtocols {
  static constexpr std::string_view kType = "socket_protocol";
  static void read(const json& value, std::vector<SocketProtocol>& target, FieldProblems& problems) {
    read_socket_protocols(value, target, problems);
  }
  static json write(const std::vector<SocketProtocol>& value) { return write_socket_protocols(value); }
};

struct Ready {
  static constexpr std::string_view kType = "ready";
  static void read(const json& value, Readiness& target, FieldProblems& problems) {
    read_readiness(value, target, problems);
  }
  static json write(const Readiness& value) { return write_readiness(value); }
};

struct Health {
  static constexpr std::string_view kType = "health";
  static void read(const json& value, HealthCheck& target, FieldProblems& problems) {
    read_health(value, target, problems);
  }
  static json write(const HealthCheck& value) { return write_health(value); }
};

struct Filter {
  static constexpr std::string_view kType = "env_filter";
  static void read(const json& value, EnvFilter& target, FieldProblems& problems) {
    read_env_filter(value, target, problems);
  }
  static json write(const EnvFilter& value) { return write_env_filter(value); }
};

struct Port {
  static constexpr std::string_view kType = "port";
  static void read(const json& value, int& target, FieldProblems& problems) {
    read_whole_number(value, {0, 65535}, target, problems);
  }
  static json write(int value) { return value; }
};

struct Account {
  static constexpr std::string_view kType = "account";
  static void read(const json& value, std::string& target, FieldProblems& problems) {
    read_account(value, target, problems);
  }
  static json write(const std::string& value) { return value; }
};

void read_instances_member(const json& value, AppSpec& spec, FieldProblems& problems) {
  spec.instances_given = true;
  read_instances(value, spec.instances, problems);
}
void read_exec_mode_member(const json& value, AppSpec& spec, FieldProblems& problems) {
  spec.exec_mode_given = true;
  read_exec_mode(value, spec.exec_mode, problems);
}
// PM2's other word for fork mode; travels as exec_mode.
void read_execute_command(const json& value, AppSpec& spec, FieldProblems& problems) {
  bool fork = false;
  read_flag(value, fork, problems);
  if (!fork) return;
  if (spec.exec_mode_given && spec.exec_mode == ExecMode::cluster)
    problems.push_back({"", "", "contradicts exec_mode, which is cluster; leave one of them out"});
  spec.exec_mode_given = true;
  spec.exec_mode = ExecMode::fork;
}
json write_nothing(const AppSpec&) { return nullptr; }

json write_exec_mode_member(const AppSpec& spec) { return exec_mode_word(spec.exec_mode); }

json write_instances_member(const AppSpec& spec) { return write_instances(spec.instances); }

constexpr std::array kFields{
    row<NonEmptyText, &AppSpec::name>("name",
                                      "Name of the app; default: the script's name without extension"),
    row<NonEmptyText, &AppSpec::script>(
        "script", "Program or script: a path relative to cwd, or a name on PATH", {"exec", "cmd", "command"}),
    row<TextList, &AppSpec::args>(
        "args", "Arguments; a string is split like a shell line, an array is kept as it is"),
    row<NonEmptyText, &AppSpec::cwd>("cwd",
                                     "Working directory, relative to the file; default: the file's folder"),
    row<NonEmptyText, &AppSpec::interpreter>(
        "interpreter", "Program that runs the script, or \"none\"; default: by shebang or extension",
        {"exec_interpreter"}),
    row<TextList, &AppSpec::interpreter_args>(
        "interpreter_args", "Arguments between the interpreter and the script", {"node_args"}),
    row<NonEmptyText, &AppSpec::name_space>("namespace", "Group of apps that can be addressed together"),
    AppField{"instances",
             {},
             "instances",
             "Number of instances; \"max\" or 0: one per CPU; -1: one fewer than CPUs",
             read_instances_member,
             write_instances_member},
    AppField{"exec_mode",
             {},
             "exec_mode",
             "cluster: sockets are shared between instances; fork: left alone",
             read_exec_mode_member,
             write_exec_mode_member},
    AppField{"execute_command",
             {},
             "flag",
             "true: the same as exec_mode fork",
             read_execute_command,
             write_nothing},
    row<Variables, &AppSpec::env>("env", "Environment variables"),
    row<PathList, &AppSpec::env_file>("env_file", "Files of NAME=value lines, weaker than env"),
    row<Filter, &AppSpec::filter_env>("filter_env", "Variables of the caller's shell that are left out"),
    row<Port, &AppSpec::port>("port", "Sets the variable PORT"),
    row<Flag, &AppSpec::append_env_to_name>("append_env_to_name",
                                            "With --env NAME the app is called name-NAME"),
    row<AnyText, &AppSpec::instance_var>("instance_var", "Variable that holds the number of the instance"),
    row<NonEmptyText, &AppSpec::increment_var>("increment_var",
                                               "Variable that is counted up from instance to instance"),
    row<Listen, &AppSpec::listen>("listen", "Addresses that are opened for the app before it starts"),
    row<SocketProtocols, &AppSpec::socket_protocol>("socket_protocol",
                                                    "How the program is told of its declared sockets"),
    row<Balancing, &AppSpec::balance>("balance", "How connections are spread over the instances"),
    row<Flag, &AppSpec::wait_ready>("wait_ready", "An instance is online only when it says so itself"),
    row<Ready, &AppSpec::ready>("ready", "What shows that a new instance is ready"),
    row<Health, &AppSpec::health>("health", "What shows that an instance still works"),
    row<Duration<1>, &AppSpec::watchdog>("watchdog", "Time within which an instance has to say WATCHDOG=1"),
    row<Duration<1>, &AppSpec::listen_timeout>("listen_timeout", "Time a new instance has to become ready"),
    row<Duration<0>, &AppSpec::drain_timeout>("drain_timeout",
                                              "Time an old instance has to finish its connections"),
    row<Duration<0>, &AppSpec::drain_idle>("drain_idle",
                                           "Silence after which a draining connection is ended; 0: never"),
    row<Duration<0, ForEver::allowed>, &AppSpec::kill_timeout>(
        "kill_timeout", "Time between the stop signal and SIGKILL; -1: never SIGKILL"),
    row<Signal, &AppSpec::kill_signal>("kill_signal",
                                       "Stop signal; default: SIGINT for Node and its kin, else SIGTERM"),
    row<Flag, &AppSpec::shutdown_with_message>(
        "shutdown_with_message", "Node programs are stopped by the message \"shutdown\", not by a signal"),
    row<Flag, &AppSpec::treekill>("treekill", "A stop signal goes to descendants too"),
    row<Flag, &AppSpec::autostart>("autostart", "false: put into the list, but not started"),
    row<Flag, &AppSpec::autorestart>("autorestart", "Start again what has ended by itself"),
    row<Duration<100>, &AppSpec::min_uptime>("min_uptime", "Time an instance has to live to count as stable"),
    row<WholeNumber<0>, &AppSpec::max_restarts>("max_restarts",
                                                "Unstable restarts before giving up; default: never"),
    row<Duration<0>, &AppSpec::restart_delay>("restart_delay", "Fixed delay before a restart"),
    row<Duration<0>, &AppSpec::exp_backoff_restart_delay>("exp_backoff_restart_delay",
                                                          "First delay of a growing series before restarts"),
    row<Duration<1>, &AppSpec::exp_backoff_max>("exp_backoff_restart_delay_max",
                                                "Longest delay of that series", {"exp_backoff_max"}),
    row<ExitCodes, &AppSpec::stop_exit_codes>("stop_exit_codes",
                                              "Exit codes after which the app stays stopped"),
    row<WholeNumber<1>, &AppSpec::max_surge>("max_surge",
                                             "Instances replaced at the same time during a reload"),
    row<NonEmptyText, &AppSpec::out_file>("out_file", "File for standard output",
                                          {"out", "output", "out_log"}),
    row<NonEmptyText, &AppSpec::error_file>("error_file", "File for standard error",
                                            {"error", "err", "err_file", "err_log"}),
    row<Flag, &AppSpec::merge_logs>("merge_logs", "All instances write into the same files",
                                    {"combine_logs"}),
    row<NonEmptyText, &AppSpec::pid_file>("pid_file", "File for the process id", {"pid"}),
    row<Account, &AppSpec::uid>("uid", "User the app runs as", {"user"}),
    row<Account, &AppSpec::gid>("gid", "Group the app runs as"),
};

constexpr std::string_view kProfilePrefix = "env_";

using KeyIndex = std::map<std::string, const AppField*, std::less<>>;

// This table and the parts of it that have files of their own.
std::vector<AppField> join_fields() {
  std::vector<AppField> fields(kFields.begin(), kFields.end());
  fields.insert(fields.end(), log_fields().begin(), log_fields().end());
  fields.insert(fields.end(), runtime_fields().begin(), runtime_fields().end());
  return fields;
}

KeyIndex index_fields() {
  KeyIndex index;
  for (const AppField& field : app_fields()) {
    std::vector<std::string_view> keys(field.aliases.begin(), field.aliases.end());
    keys.push_back(field.name);
    for (const std::string_view key : keys) {
      if (key.empty()) continue;
      index[std::string(key)] = &field;
      index[camel_case(key)] = &field;
    }
  }
  return index;
}

std::vector<std::string_view> collect_keys() {
  std::vector<std::string_view> keys;
  for (const AppField& field : app_fields()) {
    keys.push_back(field.name);
    for (const std::string_view alias : field.aliases) {
      if (!alias.empty()) keys.push_back(alias);
    }
  }
  return keys;
}

}  // namespace

std::span<const AppField> app_fields() {
  static const std::vector<AppField> kAll = join_fields();
  return kAll;
}

const AppField* find_app_field(std::string_view key) {
  static const KeyIndex kIndex = index_fields();
  const auto found = kIndex.find(key);
  return found == kIndex.end() ? nullptr : found->second;
}

std::optional<std::string_view> env_profile_of_key(std::string_view key) {
  if (!key.starts_with(kProfilePrefix) || key.size() == kProfilePrefix.size()) return std::nullopt;
  if (find_app_field(key) != nullptr) return std::nullopt;
  return key.substr(kProfilePrefix.size());
}

void read_env_profile(std::string_view profile, const json& value, AppSpec& spec, FieldProblems& problems) {
  read_environment(value, spec.env_profiles[std::string(profile)], problems);
}

std::span<const std::string_view> known_app_keys() {
  static const std::vector<std::string_view> kKeys = collect_keys();
  return kKeys;
}

std::string camel_case(std::string_view key) {
  std::string result;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool joins = key[i] == '_' && i + 1 < key.size();
    if (!joins) {
      result += key[i];
      continue;
    }
    const char next = key[++i];
    result += next >= 'a' && next <= 'z' ? static_cast<char>(next - 'a' + 'A') : next;
  }
  return result;
}

}  // namespace clusterd
