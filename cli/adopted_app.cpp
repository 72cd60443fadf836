#include "cli/adopted_app.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>

#include "cli/local_files.h"
#include "common/path_text.h"

namespace clusterd::cli {
namespace {

using namespace std::string_view_literals;

// By the beginning of their names: python3.11, ruby3.1.
constexpr std::array kInterpreters{"node"sv, "nodejs"sv, "bun"sv,  "deno"sv, "python"sv, "pypy"sv, "ruby"sv,
                                   "perl"sv, "php"sv,    "bash"sv, "sh"sv,   "dash"sv,   "tsx"sv};

bool is_interpreter(const std::string& program) {
  const std::string_view name = base_name(program);
  return std::ranges::any_of(kInterpreters, [&](std::string_view known) {
    return name.starts_with(known) && name.find_first_not_of("0123456789.", known.size()) == name.npos;
  });
}

// As the process itself would find it; nothing if it is not there.
std::optional<std::string> on_path_of(const RunningProcess& process, const std::string& word) {
  const auto path = process.environment.find("PATH");
  return find_on_path(word, path == process.environment.end() ? "" : path->second);
}

// As it was called, if that is the same file: the link of a virtual environment leads to the system's Python,
// but is not the same to call. A program that has moved to another folder since is known by its name.
// Nothing: the command line has been rewritten, as by setproctitle().
std::optional<std::string> program_of(const RunningProcess& process, const std::string& called) {
  std::string path = join_path(process.cwd, called);
  if (called.find('/') == called.npos) path = on_path_of(process, called).value_or("");
  std::error_code ignored;
  if (std::filesystem::equivalent(path, process.program, ignored)) return path;
  if (base_name(called) == base_name(process.program)) return process.program;
  return std::nullopt;
}

std::unexpected<Error> unknown_command(const RunningProcess& process) {
  return fail(ErrorCode::conflict, "process " + std::to_string(process.pid) + " calls itself '" +
                                       process.words.front() +
                                       "' now, so what it was started with is not known; give "
                                       "the command: clusterd adopt " +
                                       std::to_string(process.pid) + " -- PROGRAM ARGS");
}

// The program that the operator names may be a script, or another version.
Result<std::string> given_program(const std::string& word, const RunningProcess& process) {
  std::string path = join_path(process.cwd, word);
  if (word.find('/') == word.npos && !script_facts(path)) path = on_path_of(process, word).value_or(path);
  if (script_facts(path)) return path;
  return fail(ErrorCode::not_found, "no program '" + word + "'");
}

bool says(const Arguments& arguments, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(arguments.app_settings, [&](const AppSetting& setting) {
    return std::ranges::count(keys, setting.key) > 0;
  });
}

void set(Arguments& arguments, const std::string& key, const std::string& value) {
  arguments.app_settings.push_back({key, AppSetting::Kind::text, {value}});
}

}  // namespace

Result<AdoptedCommand> command_of(const RunningProcess& process, const Arguments& arguments,
                                  const Caller& caller) {
  AdoptedCommand command{"", arguments, caller};
  std::vector<std::string> words = arguments.app_args.empty() ? process.words : arguments.app_args;
  if (arguments.app_args.empty()) {
    const auto program = program_of(process, words.front());
    if (!program) return unknown_command(process);
    command.script = *program;
  } else {
    auto program = given_program(words.front(), process);
    if (!program) return fail(program.error());
    command.script = *program;
  }
  words.erase(words.begin());
  const bool is_script = is_interpreter(command.script) && !words.empty() && !words.front().starts_with('-');
  if (is_script && script_facts(join_path(process.cwd, words.front()))) {
    if (!says(arguments, {"interpreter"})) set(command.arguments, "interpreter", command.script);
    command.script = join_path(process.cwd, words.front());
    words.erase(words.begin());
  }
  command.arguments.app_args = std::move(words);
  if (!says(arguments, {"name"})) set(command.arguments, "name", std::string(stem(command.script)));
  if (process.user != geteuid() && !says(arguments, {"uid", "user"})) {
    set(command.arguments, "uid", std::to_string(process.user));
    if (!says(arguments, {"gid"})) set(command.arguments, "gid", std::to_string(process.group));
  }
  command.caller.cwd = process.cwd;
  command.caller.environment = process.environment;
  return command;
}

}  // namespace clusterd::cli
