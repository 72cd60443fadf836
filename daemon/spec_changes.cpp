#include "daemon/spec_changes.h"

#include <nlohmann/json.hpp>
#include <set>

#include "config/spec_json.h"

namespace clusterd {
namespace {

using nlohmann::json;

// What the operator's file says, without the shell.
Environment own_variables(AppSpec spec) {
  spec.inherited_env.clear();
  return effective_environment(spec);
}

void add_changed_keys(const json& from, const json& to, json& changes) {
  std::set<std::string> keys;
  for (const json* spec : {&from, &to}) {
    for (const auto& item : spec->items()) keys.insert(item.key());
  }
  for (const std::string& key : keys) {
    const json old_value = from.value(key, json());
    const json new_value = to.value(key, json());
    if (old_value != new_value) changes.push_back({{"key", key}, {"from", old_value}, {"to", new_value}});
  }
}

void add_changed_variables(const Environment& from, const Environment& to, json& changes) {
  std::set<std::string> names;
  for (const Environment* environment : {&from, &to}) {
    for (const auto& [name, value] : *environment) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto old_value = from.find(name);
    const auto new_value = to.find(name);
    const char* kind = "changed";
    if (old_value == from.end()) kind = "added";
    if (new_value == to.end()) kind = "removed";
    if (old_value != from.end() && new_value != to.end() && old_value->second == new_value->second) continue;
    const json key = environment_to_json({{"env." + name, ""}});  // a name need not be UTF-8
    changes.push_back({{"key", key.begin().key()}, {"kind", kind}});
  }
}

}  // namespace

json spec_changes(const AppSpec& known, const AppSpec& next) {
  json changes = json::array();
  add_changed_keys(to_json_without_env(known), to_json_without_env(next), changes);
  add_changed_variables(own_variables(known), own_variables(next), changes);
  return changes;
}

}  // namespace clusterd
