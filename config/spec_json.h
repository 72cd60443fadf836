// AppSpec <-> JSON: the form in which specs travel to the daemon and lie in its files.
//
// Pure; the CLI writes it, the daemon reads and writes it. The keys are those of the app file, every value
// resolved, plus internal ones no app file may hold: inherited_env, chosen_profile, source_file,
// instances_given, exec_mode_given, by_node.
// A string that is not UTF-8 is written as {"$hex": "ff2e"}, so that arguments and environments survive byte
// for byte.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd {

// Fields with their default value are left out; parse_resolved_app(to_json(spec)) == spec.
nlohmann::json to_json(const AppSpec& spec);

// For describe: no inherited_env, env or env_<name>.
nlohmann::json to_json_without_env(const AppSpec& spec);

// Strict and total: unknown keys, wrong types, relative paths and unsafe names are errors; never throws.
Result<AppSpec> parse_resolved_app(const nlohmann::json& app);

// `spec` with some keys set anew, as `restart web -i 4` does; paths are absolute already. Name and namespace
// stay.
Result<AppSpec> with_settings(AppSpec spec, const nlohmann::json& settings);

nlohmann::json environment_to_json(const Environment& environment);
Result<Environment> environment_from_json(const nlohmann::json& value);

}  // namespace clusterd
