#include "common/operation.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/suggest.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kStartModes{"new", "apply", "reload", "restart"};
constexpr std::array<std::string_view, 2> kStreams{"out", "err"};

// Arguments that mean the same everywhere.
constexpr Argument kTargets{"targets", ArgumentType::strings, Presence::required, {}};
constexpr Argument kAnyTargets{"targets", ArgumentType::strings, Presence::optional, {}};
constexpr Argument kTarget{"target", ArgumentType::string, Presence::required, {}};
constexpr Argument kWait{"wait", ArgumentType::boolean, Presence::optional, {}};
constexpr Argument kNow{"now", ArgumentType::boolean, Presence::optional, {}};
constexpr Argument kSettings{"settings", ArgumentType::object, Presence::optional, {}};
constexpr Argument kPrune{"prune", ArgumentType::strings, Presence::optional, {}};
constexpr Argument kInheritedEnv{"inherited_env", ArgumentType::object, Presence::optional, {}};

constexpr std::array kStartArguments{
    Argument{"apps", ArgumentType::objects, Presence::required, {}},
    Argument{"mode", ArgumentType::string, Presence::required, kStartModes},
    Argument{"update_env", ArgumentType::boolean, Presence::optional, {}},
    Argument{"take_sockets_from", ArgumentType::integers, Presence::optional, {}},
    Argument{"serves_them", ArgumentType::boolean, Presence::optional, {}},
    kPrune,
    kWait,
};
constexpr std::array kPlanArguments{Argument{"apps", ArgumentType::objects, Presence::required, {}}, kPrune};
constexpr std::array kKnownArguments{kTargets, kWait, kInheritedEnv};
constexpr std::array kRestartArguments{kTargets, kWait, kInheritedEnv, kSettings};
constexpr std::array kReloadArguments{kTargets, kWait, kInheritedEnv, kSettings,
                                      Argument{"canary", ArgumentType::integer, Presence::optional, {}}};
constexpr std::array kCanaryArguments{kTarget, kWait};
constexpr std::array kStopArguments{kTargets, kNow, kWait};
constexpr std::array kScaleArguments{
    kTarget,
    Argument{"count", ArgumentType::string_or_integer, Presence::required, {}},
    kWait,
};
constexpr std::array kSignalArguments{
    kTargets,
    Argument{"signal", ArgumentType::string_or_integer, Presence::required, {}},
};
constexpr std::array kSendArguments{
    kTarget,
    Argument{"line", ArgumentType::string, Presence::required, {}},
    Argument{"separator", ArgumentType::string, Presence::optional, {}},
};
constexpr std::array kTargetsOnly{kTargets};
constexpr std::array kAnyTargetsOnly{kAnyTargets};
constexpr std::array kListArguments{kAnyTargets,
                                    Argument{"fields", ArgumentType::strings, Presence::optional, {}}};
constexpr std::array kTargetOnly{kTarget};
constexpr std::array kEnvArguments{Argument{"id", ArgumentType::string_or_integer, Presence::required, {}}};
constexpr std::array kLogsArguments{
    kAnyTargets,
    Argument{"streams", ArgumentType::strings, Presence::optional, kStreams},
    Argument{"follow", ArgumentType::boolean, Presence::optional, {}},
};
constexpr std::array kSaveArguments{Argument{"force", ArgumentType::boolean, Presence::optional, {}}};
constexpr std::array kWaitOnly{kWait};

constexpr std::array kOperations{
    Operation{"ping", {}, "Say that the daemon is alive"},
    Operation{"start", kStartArguments, "Start new apps, or make the world equal to an app file"},
    Operation{"plan", kPlanArguments, "Say what start with mode apply would do, and change nothing"},
    Operation{"start_known", kKnownArguments, "Start apps the daemon knows again"},
    Operation{"stop", kStopArguments, "Stop apps or single instances; they stay in the list"},
    Operation{"restart", kRestartArguments, "Stop and start apps"},
    Operation{"reload", kReloadArguments, "Replace instances one by one without losing a request"},
    Operation{"promote", kCanaryArguments, "Let the other instances follow the canary"},
    Operation{"abort", kCanaryArguments, "Take the canary away again"},
    Operation{"delete", kStopArguments, "Stop apps and forget them"},
    Operation{"scale", kScaleArguments, "Change the number of instances of an app"},
    Operation{"signal", kSignalArguments, "Send a signal to the main processes of apps"},
    Operation{"send", kSendArguments, "Write a line to the standard input of the instances of an app"},
    Operation{"reset", kTargetsOnly, "Set the restart counters of apps to zero"},
    Operation{"flush", kAnyTargetsOnly, "Empty the log files of apps"},
    Operation{"reload_logs", {}, "Open all log files anew, after rotation by others"},
    Operation{"list", kListArguments, "List instances"},
    Operation{"describe", kTargetOnly, "Show everything about one app"},
    Operation{"env", kEnvArguments, "Show the environment an instance was started with"},
    Operation{"logs", kLogsArguments, "Say where log files are, and follow them"},
    Operation{"events", kAnyTargetsOnly, "Tell what happens to apps, as it happens"},
    Operation{"save", kSaveArguments, "Save the list of apps for resurrect"},
    Operation{"clear_saved", {}, "Empty the saved list"},
    Operation{"resurrect", kWaitOnly, "Start the apps of the last save"},
    Operation{"doctor", {}, "Check what this machine allows clusterd to do"},
    Operation{"kill", {}, "Stop every app, then the daemon"},
};

bool is_array_of(const json& value, bool (*predicate)(const json&)) {
  return value.is_array() && std::all_of(value.begin(), value.end(), predicate);
}

bool has_type(const json& value, ArgumentType type) {
  switch (type) {
    case ArgumentType::boolean:
      return value.is_boolean();
    case ArgumentType::integer:
      return value.is_number_integer();
    case ArgumentType::string:
      return value.is_string();
    case ArgumentType::string_or_integer:
      return value.is_string() || value.is_number_integer();
    case ArgumentType::strings:
      return is_array_of(value, [](const json& item) { return item.is_string(); });
    case ArgumentType::integers:
      return is_array_of(value, [](const json& item) { return item.is_number_integer(); });
    case ArgumentType::object:
      return value.is_object();
    case ArgumentType::objects:
      return is_array_of(value, [](const json& item) { return item.is_object(); });
  }
  return false;
}

std::string_view type_words(ArgumentType type) {
  switch (type) {
    case ArgumentType::boolean:
      return "true or false";
    case ArgumentType::integer:
      return "a whole number";
    case ArgumentType::string:
      return "a string";
    case ArgumentType::string_or_integer:
      return "a string or a whole number";
    case ArgumentType::strings:
      return "an array of strings";
    case ArgumentType::integers:
      return "an array of integers";
    case ArgumentType::object:
      return "an object";
    case ArgumentType::objects:
      return "an array of objects";
  }
  return "something else";
}

Result<void> check_choice(const Operation& operation, const Argument& argument, const json& word) {
  const auto& text = word.get_ref<const std::string&>();
  if (std::find(argument.choices.begin(), argument.choices.end(), text) != argument.choices.end()) return {};
  std::string choices;
  for (const std::string_view choice : argument.choices) {
    choices += (choices.empty() ? "'" : " or '") + std::string(choice) + "'";
  }
  return fail(ErrorCode::usage, std::string(operation.name) + ": argument '" + std::string(argument.name) +
                                    "' is " + choices + ", got '" + text.substr(0, 40) + "'");
}

Result<void> check_value(const Operation& operation, const Argument& argument, const json& value) {
  if (!has_type(value, argument.type)) {
    return fail(ErrorCode::usage, std::string(operation.name) + ": argument '" + std::string(argument.name) +
                                      "' has to be " + std::string(type_words(argument.type)));
  }
  if (argument.choices.empty()) return {};
  if (value.is_string()) return check_choice(operation, argument, value);
  for (const json& item : value) {
    if (auto checked = check_choice(operation, argument, item); !checked) return checked;
  }
  return {};
}

Result<void> check_known(const Operation& operation, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Argument& argument : operation.arguments) names.push_back(argument.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  return fail(ErrorCode::usage, std::string(operation.name) + ": unknown argument '" + name.substr(0, 40) +
                                    "'" + did_you_mean(name, names));
}

}  // namespace

std::span<const Operation> operations() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

Error unknown_operation(std::string_view name) {
  std::array<std::string_view, kOperations.size()> names{};
  std::transform(kOperations.begin(), kOperations.end(), names.begin(),
                 [](const Operation& row) { return row.name; });
  return {ErrorCode::usage,
          "unknown operation '" + std::string(name.substr(0, 40)) + "'" + did_you_mean(name, names)};
}

Result<void> check_arguments(const Operation& operation, const json& args) {
  if (!args.is_object() && !args.is_null()) {
    return fail(ErrorCode::usage, std::string(operation.name) + ": arguments have to be an object");
  }
  for (const auto& item : args.items()) {
    if (auto checked = check_known(operation, item.key()); !checked) return checked;
  }
  for (const Argument& argument : operation.arguments) {
    const auto found = args.find(argument.name);
    if (found != args.end()) {
      if (auto checked = check_value(operation, argument, *found); !checked) return checked;
    } else if (argument.presence == Presence::required) {
      return fail(ErrorCode::usage,
                  std::string(operation.name) + ": argument '" + std::string(argument.name) + "' is missing");
    }
  }
  return {};
}

}  // namespace clusterd
