#include "cli/adopted_app.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

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

// As it was called, if that is the same file: the link of a virtual environment leads to the system's Python,
// but is not the same to call.
std::string program_of(const RunningProcess& process) {
  const std::string& called = process.words.front();
  std::string path = join_path(process.cwd, called);
  if (called.find('/') == called.npos) {
    const auto variable = process.environment.find("PATH");
    path = find_on_path(called, variable == process.environment.end() ? "" : variable->second).value_or("");
  }
  std::error_code ignored;
  return std::filesystem::equivalent(path, process.program, ignored) ? path : process.program;
}

void set_unless_said(Arguments& arguments, const std::string& key, const std::string& value) {
  if (std::ranges::count(arguments.app_settings, key, &AppSetting::key) > 0) return;
  arguments.app_settings.push_back({key, AppSetting::Kind::text, {value}});
}

}  // namespace

AdoptedCommand command_of(const RunningProcess& process, const Arguments& arguments, const Caller& caller) {
  AdoptedCommand command{program_of(process), arguments, caller};
  auto& words = command.arguments.app_args;
  words.assign(process.words.begin() + 1, process.words.end());
  if (is_interpreter(command.script) && !words.empty() && !words.front().starts_with('-')) {
    const std::string script = join_path(process.cwd, words.front());
    if (script_facts(script)) {
      set_unless_said(command.arguments, "interpreter", command.script);
      command.script = script;
      words.erase(words.begin());
    }
  }
  set_unless_said(command.arguments, "name", std::string(stem(command.script)));
  if (process.user != geteuid()) set_unless_said(command.arguments, "user", std::to_string(process.user));
  command.caller.cwd = process.cwd;
  command.caller.environment = process.environment;
  return command;
}

}  // namespace clusterd::cli
