// App sources: the two places `start` gets AppSpecs from, an ecosystem file and the command line itself.
//
// Used by start_resolution and by the verbs that take a file. Reads JSON, JSON5, YAML, the apps of a
// package.json and standard input ("-"), and lets the user's `node` evaluate configuration that is a program;
// hands all of it to the one parser in config/. Errors are all errors of a file at once, one a line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/caller.h"
#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd::cli {

struct AppSource {
  std::vector<AppSpec> apps;
  std::vector<std::string> warnings;
  std::string how = {};  // what was executed to get them, for the user: "executed by /usr/bin/node"; or empty
};

inline constexpr std::string_view kStandardInput = "-";

bool is_app_file_name(std::string_view path);  // by extension; "-" is one, too

// The ecosystem file of the caller's folder, if there is one: ecosystem.json, clusterd.json,
// ecosystem.config.js …
std::optional<std::string> default_app_file(const Caller& caller);
std::string default_app_file_names();  // for messages

// An app file that exists, as an absolute path, or "-"; nothing if the word is something else.
std::optional<std::string> as_app_file(const std::string& word, const Caller& caller);

// All apps of the file, or those --only names. The file's own errors name file and line.
Result<AppSource> apps_of_file(const std::string& path, const Arguments& arguments, const Caller& caller);

// One app from the options of the command line; `script` is an absolute path.
Result<AppSource> app_of_command_line(const std::string& script, const Arguments& arguments,
                                      const Caller& caller);

// The options of the command line as an object of the app file's keys, paths absolute, for restart and
// reload.
nlohmann::json settings_of_command_line(const Arguments& arguments, const Caller& caller);

}  // namespace clusterd::cli
