#include "config/app_resolve.h"

#include <algorithm>

#include "common/app_name.h"
#include "common/path_text.h"
#include "common/units.h"

namespace clusterd {
namespace {

bool has_slash(std::string_view path) { return path.find('/') != std::string_view::npos; }

std::string quoted(std::string_view text) { return '"' + std::string(text.substr(0, 120)) + '"'; }

class Resolver {
 public:
  Resolver(AppSpec& spec, const GivenFields& given, const AppFileContext& context)
      : spec_(spec), given_(given), context_(context) {}

  FieldProblems resolve() {
    spec_.inherited_env = context_.inherited_env;
    spec_.env_profile = context_.env_profile;
    resolve_cwd();
    resolve_script();
    resolve_interpreter();
    for (std::string* path : {&spec_.out_file, &spec_.error_file}) {
      if (*path == "NULL") *path = "/dev/null";  // PM2's word for no log
    }
    for (std::string* path : {&spec_.out_file, &spec_.error_file, &spec_.pid_file}) {
      if (!path->empty()) *path = below_cwd(*path);
    }
    resolve_name();
    resolve_backoff();
    return std::move(problems_);
  }

 private:
  bool is_given(std::string_view field) const { return given_.contains(field); }

  void add_problem(std::string_view field, std::string message) {
    problems_.push_back({"." + std::string(field), "/" + std::string(field), std::move(message)});
  }

  std::optional<ScriptFacts> look_at(const std::string& path) const {
    return context_.look_at_file ? context_.look_at_file(path) : std::nullopt;
  }

  std::string below_cwd(std::string_view path) const {
    return join_path(spec_.cwd, expand_home(path, context_.user_home));
  }

  void resolve_cwd() {
    spec_.cwd = spec_.cwd.empty() ? join_path(context_.base_dir, ".")
                                  : join_path(context_.base_dir, expand_home(spec_.cwd, context_.user_home));
  }

  // A bare name is a program on PATH unless there is a file of that name, or nothing but a file can be meant.
  void resolve_script() {
    if (spec_.script.empty()) {
      if (!is_given("script")) problems_.push_back({"", "", "'script' is missing: the program to run"});
      return;
    }
    const bool names_interpreter = is_given("interpreter") && spec_.interpreter != "none";
    const bool is_path = has_slash(spec_.script) || spec_.script == "~" || names_interpreter ||
                         !interpreter_for_extension(spec_.script).empty() || look_at(below_cwd(spec_.script));
    if (is_path) {
      spec_.script = below_cwd(spec_.script);
    } else if (spec_.script.find_first_of(" \t\n") != std::string::npos) {
      add_problem("script", "there is no file " + quoted(spec_.script) +
                                "; arguments of a program belong into 'args', and a shell line is "
                                "\"script\": \"sh\", \"args\": [\"-c\", \"…\"]");
    }
  }

  void resolve_interpreter() {
    const bool runs_itself = spec_.interpreter == "none";
    if (runs_itself) spec_.interpreter.clear();
    if (has_slash(spec_.interpreter)) spec_.interpreter = below_cwd(spec_.interpreter);
    if (spec_.interpreter.empty() && is_absolute(spec_.script)) {
      InterpreterChoice choice =
          choose_interpreter(spec_.script, look_at(spec_.script).value_or(ScriptFacts{}));
      spec_.by_node = choice.by_node;
      if (!runs_itself) spec_.interpreter = std::move(choice.interpreter);
      if (!spec_.kill_signal) spec_.kill_signal = choice.kill_signal;
    }
    if (spec_.interpreter.empty() && !spec_.interpreter_args.empty()) {
      add_problem("interpreter_args", "there is no interpreter to give them to; name one in 'interpreter'");
    }
  }

  void resolve_name() {
    if (!is_given("name") && !spec_.script.empty()) {
      spec_.name = stem(spec_.script);
      if (auto checked = check_app_name(spec_.name); !checked) {
        add_problem("script", "makes no good name: " + checked.error().message + "; give the app a 'name'");
      }
    } else if (!spec_.name.empty()) {
      if (auto checked = check_app_name(spec_.name); !checked) add_problem("name", checked.error().message);
    }
    if (auto checked = check_namespace(spec_.name_space); !checked)
      add_problem("namespace", checked.error().message);
  }

  void resolve_backoff() {
    if (spec_.exp_backoff_max >= spec_.exp_backoff_restart_delay) return;
    if (!is_given("exp_backoff_restart_delay_max")) {
      spec_.exp_backoff_max = spec_.exp_backoff_restart_delay;
      return;
    }
    add_problem("exp_backoff_restart_delay_max",
                "is shorter than the first delay, " + format_duration_exact(spec_.exp_backoff_restart_delay));
  }

  AppSpec& spec_;
  const GivenFields& given_;
  const AppFileContext& context_;
  FieldProblems problems_;
};

}  // namespace

FieldProblems resolve_app(AppSpec& spec, const GivenFields& given, const AppFileContext& context) {
  return Resolver(spec, given, context).resolve();
}

}  // namespace clusterd
