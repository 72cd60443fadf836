// App sources: the two places `start` gets AppSpecs from, an ecosystem file and the command line itself.
//
// Used by start_resolution. Reads the files and hands their text to the one parser in config/; errors are all
// errors of a file at once, one a line. Never executes a file: configuration that is a program is refused.
#pragma once

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
};

bool is_app_file_name(std::string_view path);  // by extension

// Why a file that PM2 would execute or read as YAML cannot be used, and what to do; nothing for other files.
std::optional<Error> refuse_foreign_config(std::string_view path);

// ./ecosystem.json or ./clusterd.json, if there is one.
std::optional<std::string> default_app_file(const Caller& caller);

// All apps of the file, or those --only names. The file's own errors name file and line.
Result<AppSource> apps_of_file(const std::string& path, const Arguments& arguments, const Caller& caller);

// One app from the options of the command line; `script` is an absolute path.
Result<AppSource> app_of_command_line(const std::string& script, const Arguments& arguments,
                                      const Caller& caller);

}  // namespace clusterd::cli
