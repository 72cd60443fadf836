// App files: the text of an ecosystem file -> checked and resolved AppSpecs, or all that is wrong with it.
//
// Pure; called by the CLI for files and, with an object made from its flags, for `start ./server`. Reads no
// file itself: what it must know about scripts it asks through AppFileContext::look_at_file. Executes nothing
// and expands nothing but a leading "~/" in paths.
// Accepted shapes: {"apps": [...]}, {"pm2": [...]}, an array of apps, one bare app.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/app_spec.h"
#include "config/interpreter.h"

namespace clusterd {

struct AppFileContext {
  std::string file_name;  // as shown in messages; empty: the app comes from the command line
  std::string base_dir;   // absolute folder of the file (command line: the caller's cwd); default cwd of apps
  std::string user_home;  // for "~/"
  Environment inherited_env;
  std::string env_profile;  // --env
  // What is at this absolute path; nothing if no regular file is. Empty function: nothing exists.
  std::function<std::optional<ScriptFacts>(const std::string& path)> look_at_file;
};

struct AppFileResult {
  std::vector<AppSpec> apps;          // all of them, in the order of the file; use only if errors is empty
  std::vector<std::string> warnings;  // "ecosystem.json:7: apps[0].watch: not supported yet, ignored"
  std::vector<std::string> errors;    // "ecosystem.json:12: apps[0].max_restarts: expected …, got \"x\""
};

AppFileResult parse_app_file(std::string_view text, const AppFileContext& context);

// The same for one app that is already JSON, with the keys of the file format (the CLI makes it from flags).
// Strings may hold any bytes except NUL.
AppFileResult parse_app_object(const nlohmann::json& app, const AppFileContext& context);

}  // namespace clusterd
