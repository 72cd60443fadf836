// App files: the text of an ecosystem file -> checked and resolved AppSpecs, or all that is wrong with it.
//
// Pure; called by the CLI for files and, with an object made from its flags, for `start ./server`. Reads no
// file itself: what it must know about scripts it asks through AppFileContext::look_at_file. Executes nothing
// and expands nothing but a leading "~/" in paths.
// Accepted shapes: {"apps": [...]}, {"pm2": [...]}, an array of apps, one bare app; of a package.json only
// its members "apps" and "pm2".
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/app_spec.h"
#include "config/interpreter.h"
#include "config/jsonc.h"

namespace clusterd {

struct AppFileContext {
  std::string file_name;  // as shown in messages; empty: the app comes from the command line
  std::string base_dir;   // absolute folder of the file (command line: the caller's cwd); default cwd of apps
  std::string source_file;  // absolute; what --prune goes by; empty: the command line
  std::string user_home;    // for "~/"
  bool is_json5 = false;    // parse_app_file reads JSON5
  bool is_package = false;  // a package.json: members of the root that are not apps are somebody else's
  Environment inherited_env;
  std::string env_profile;  // --env
  // What is at this absolute path; nothing if no regular file is. Empty function: nothing exists.
  std::function<std::optional<ScriptFacts>(const std::string& path)> look_at_file;
  // The text of an env_file, or why it cannot be read. Empty function: such files are not read.
  std::function<Result<std::string>(const std::string& path)> read_env_file;
};

struct AppFileResult {
  std::vector<AppSpec> apps;          // all of them, in the order of the file; use only if errors is empty
  std::vector<std::string> warnings;  // "ecosystem.json:7: apps[0].watch: not supported yet, ignored"
  std::vector<std::string> errors;    // "ecosystem.json:12: apps[0].max_restarts: expected …, got \"x\""
};

AppFileResult parse_app_file(std::string_view text, const AppFileContext& context);

// The same for a file of another format that has been read already; lines may be unknown.
AppFileResult parse_app_document(const JsoncDocument& document, const AppFileContext& context);

// The same for one app that is already JSON, with the keys of the file format (the CLI makes it from flags).
// Strings may hold any bytes except NUL.
AppFileResult parse_app_object(const nlohmann::json& app, const AppFileContext& context);

}  // namespace clusterd
