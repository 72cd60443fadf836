#include "daemon/launch_environment.h"

#include <charconv>

#include "daemon/socket_dialects.h"

namespace clusterd {
namespace {

// PORT=3000 with increment_var PORT: 3000 for slot 0, 3001 for slot 1.
void increment(Environment& environment, const AppSpec& spec, int slot) {
  if (spec.increment_var.empty()) return;
  long long first = 0;
  const std::string& text = environment[spec.increment_var];
  std::from_chars(text.data(), text.data() + text.size(), first);
  environment[spec.increment_var] = std::to_string(first + slot);
}

void set_identity(Environment& environment, const AppSpec& spec, const ResolvedUser& user) {
  const auto set = [&](const char* name, const std::string& value) {
    if (!sets_variable(spec, name)) environment[name] = value;
  };
  set("HOME", user.home);
  set("USER", user.name);
  set("LOGNAME", user.name);
  set("SHELL", user.shell);
}

// Only in what the app's settings say: a shell's variable is nobody's reference.
void expand_sockets_in(Environment& environment, const AppSpec& spec) {
  if (spec.listen.empty()) return;
  for (auto& [name, value] : environment) {
    if (sets_variable(spec, name)) value = expand_sockets(value, spec.listen);
  }
}

}  // namespace

std::vector<std::string> launch_environment(const LaunchOrder& order, const LaunchFacts& facts) {
  const AppSpec& spec = *order.spec;
  Environment environment = effective_environment(spec);
  if (facts.user != nullptr) set_identity(environment, spec, *facts.user);
  expand_sockets_in(environment, spec);
  increment(environment, spec, order.slot);
  if (!spec.instance_var.empty()) environment[spec.instance_var] = std::to_string(order.slot);
  environment["pm_id"] = std::to_string(order.id);
  environment.emplace("name", spec.name);
  // Its output goes into a pipe: without this Python keeps it back until 8 KiB have gathered.
  if (spec.interpreter.find("python") != std::string::npos) environment.emplace("PYTHONUNBUFFERED", "1");
  environment["CLUSTERD_APP"] = spec.name;
  environment["CLUSTERD_GENERATION"] = std::to_string(order.generation);
  environment["CLUSTERD_INSTANCE"] = facts.marker;
  environment["NOTIFY_SOCKET"] = facts.notify_socket;
  add_socket_dialects(environment, spec, {facts.sockets, order.generation, order.slot, facts.parent});

  std::vector<std::string> result;
  result.reserve(environment.size());
  for (const auto& [name, value] : environment) result.push_back(name + "=" + value);
  return result;
}

std::vector<std::string> without_instance_marks(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& entry) {
    return entry.starts_with("CLUSTERD_INSTANCE=") || entry.starts_with("NOTIFY_SOCKET=");
  });
  return environment;
}

std::vector<std::string> launch_arguments(const AppSpec& spec) {
  std::vector<std::string> arguments;
  if (!spec.interpreter.empty()) {
    arguments.push_back(spec.interpreter);
    arguments.insert(arguments.end(), spec.interpreter_args.begin(), spec.interpreter_args.end());
  }
  arguments.push_back(spec.script);
  for (const std::string& argument : spec.args) arguments.push_back(expand_sockets(argument, spec.listen));
  return arguments;
}

}  // namespace clusterd
