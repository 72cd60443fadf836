// AppField: one key of an app object; app_fields() is the one table of them all.
//
// Pure. The app file parser reads by it, spec_json writes by it, did-you-mean searches it, and tests hold
// ecosystem.schema.json against it. Knows single values only; what depends on several keys (paths relative to
// cwd, the default name) is in config/app_file.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/app_field_problem.h"
#include "config/app_spec.h"

namespace clusterd {

struct AppField {
  std::string_view name;
  std::array<std::string_view, 4> aliases;  // unused ones are empty
  std::string_view type;                    // its name below $defs of ecosystem.schema.json
  std::string_view doc;                     // one line, for the schema
  void (*read)(const nlohmann::json& value, AppSpec& spec, FieldProblems& problems);
  nlohmann::json (*write)(const AppSpec& spec);  // null: the field has no value
};

std::span<const AppField> app_fields();

// By name, alias, or the camelCase form of either ("outFile"); null: no such key. env_<name> is not in the
// table.
const AppField* find_app_field(std::string_view key);

// "production" for "env_production"; nothing for other keys, env_file among them.
std::optional<std::string_view> env_profile_of_key(std::string_view key);
void read_env_profile(std::string_view profile, const nlohmann::json& value, AppSpec& spec,
                      FieldProblems& problems);

// Every key a user may write, for did-you-mean.
std::span<const std::string_view> known_app_keys();

// "out_file" -> "outFile".
std::string camel_case(std::string_view key);

}  // namespace clusterd
