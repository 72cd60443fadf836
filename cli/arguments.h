// Arguments: one command line, understood.
//
// Made by parse_arguments() from argv, read by every command. Pure: looks at no file, environment or socket;
// whether an app setting makes sense is decided later by the app-file parser. Errors are of code usage and
// name the word that was not understood. Everything after `--` is taken over byte by byte.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/logs/logs_options.h"
#include "cli/prove/prove_options.h"
#include "cli/verb.h"
#include "common/result.h"

namespace clusterd::cli {

// One option of `start` and `prove` that is a setting of the app: the app file's key and what was written.
struct AppSetting {
  enum class Kind { text, list, on, off };
  std::string key;
  Kind kind = Kind::text;
  std::vector<std::string> values;  // empty for on and off
};

inline constexpr std::array<std::string_view, 8> kSortFields{"name", "namespace", "pid",    "id",
                                                             "cpu",  "memory",    "uptime", "status"};

// Of the verb serve.
struct ServeOptions {
  std::string port;  // empty: what the second word says, or the default
  std::string host;
  bool spa = false;
  std::string user;
  std::string password;
};

// Of the verb import.
struct ImportOptions {
  std::string file;    // PM2's dump; empty: the running PM2, else its dump
  std::string output;  // empty: ecosystem.json; "-": standard output
  bool start = false;  // take the apps over
};

struct Arguments {
  Verb verb = Verb::help;
  std::vector<std::string> targets;   // the words that are not options
  std::vector<std::string> app_args;  // after `--`, for start, prove and adopt

  std::string home;  // --home; empty: CLUSTERD_HOME or the default
  bool json = false;
  bool silent = false;
  bool no_color = false;
  bool offline = false;  // --version: say what this program knows by itself

  std::vector<AppSetting> app_settings;
  std::string env_profile;
  std::vector<std::string> only;
  bool wait = true;
  bool update_env = false;
  bool now = false;
  std::optional<int> canary;  // thousandths of the connections
  bool force = false;
  bool prune = false;
  bool ignores_options = false;  // some of PM2's that do nothing here were given

  std::string sort_field;  // one of kSortFields; empty: the usual order
  bool sort_descending = false;
  bool mini_list = false;

  std::string boot_user;  // of startup and unstartup, like the next four
  std::string boot_user_home;
  std::string service_name;
  std::string boot_root;
  bool print_only = false;

  ServeOptions serve;
  ImportOptions import;
  LogsOptions logs;
  ProveOptions prove;

  std::vector<std::string> daemon_options;  // of the verb daemon, passed on in order
};

Result<Arguments> parse_arguments(const std::vector<std::string>& words);  // argv without argv[0]

}  // namespace clusterd::cli
