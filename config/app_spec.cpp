#include "config/app_spec.h"

#include <algorithm>
#include <csignal>

#include "config/interpreter.h"

namespace clusterd {

Environment effective_environment(const AppSpec& spec) {
  Environment result = spec.inherited_env;
  std::erase_if(result, [&](const auto& entry) { return is_filtered(spec.filter_env, entry.first); });
  for (const auto& [name, value] : spec.env) result[name] = value;
  if (const auto profile = spec.env_profiles.find(spec.env_profile); profile != spec.env_profiles.end()) {
    for (const auto& [name, value] : profile->second) result[name] = value;
  }
  return result;
}

bool is_filtered(const EnvFilter& filter, std::string_view name) {
  if (filter.everything || (!filter.exactly.empty() && name == filter.exactly)) return true;
  return std::ranges::any_of(filter.containing,
                             [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

Readiness readiness_of(const AppSpec& spec) {
  Readiness readiness = spec.ready;
  if (spec.wait_ready && readiness.kind == Readiness::Kind::automatic)
    readiness.kind = Readiness::Kind::notify;
  return readiness;
}

int default_kill_signal(const AppSpec& spec) {
  const std::string& program = spec.interpreter.empty() ? spec.script : spec.interpreter;
  return expects_sigint(program) ? SIGINT : SIGTERM;
}

int resolve_instances(InstanceCount count, int cpus) {
  int resolved = count.value;
  if (count.kind == InstanceCount::Kind::all_cpus) resolved = cpus;
  if (count.kind == InstanceCount::Kind::all_cpus_minus) resolved = cpus - count.value;
  return std::clamp(resolved, 1, kInstancesMax);
}

}  // namespace clusterd
