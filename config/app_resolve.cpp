#include "config/app_resolve.h"

#include <algorithm>
#include <csignal>

#include "common/app_name.h"
#include "common/path_text.h"
#include "common/units.h"
#include "config/env_file.h"
#include "config/jsonc.h"

namespace clusterd {
namespace {

constexpr std::string_view kZoneFolder = "/usr/share/zoneinfo";

bool has_slash(std::string_view path) { return path.find('/') != std::string_view::npos; }

std::string in_quotes(std::string_view text) { return '"' + std::string(text.substr(0, 120)) + '"'; }

constexpr std::string_view kBlanks = " \t\n";

std::string first_word_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return std::string(line.substr(0, line.find_first_of(kBlanks)));
}

class Resolver {
 public:
  Resolver(AppSpec& spec, const GivenFields& given, const AppFileContext& context)
      : spec_(spec), given_(given), context_(context) {}

  FieldProblems resolve() {
    spec_.inherited_env = context_.inherited_env;
    spec_.env_profile = context_.env_profile;
    spec_.source_file = context_.source_file;
    resolve_cwd();
    resolve_script();
    resolve_interpreter();
    resolve_env();
    for (std::string* path : {&spec_.out_file, &spec_.error_file, &spec_.log.file}) {
      if (*path == "NULL") *path = "/dev/null";  // PM2's word for no log
    }
    for (std::string* path : {&spec_.out_file, &spec_.error_file, &spec_.log.file, &spec_.pid_file}) {
      if (!path->empty()) *path = below_cwd(*path);
    }
    resolve_name();
    resolve_backoff();
    check_socket_references();
    check_readiness();
    check_health();
    check_direct_log();
    resolve_watch();
    check_cron();
    check_dependencies();
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
    const bool is_file = look_at(below_cwd(spec_.script)).has_value();
    if (!is_file && !names_interpreter && is_shell_line(spec_.script)) return resolve_shell_line();
    const bool is_path = is_file || has_slash(spec_.script) || spec_.script == "~" || names_interpreter ||
                         !interpreter_for_extension(spec_.script).empty();
    if (is_path) spec_.script = below_cwd(spec_.script);
  }

  // "npm run start", "./server --port 3000": blanks, no file of that name, and a first word that can be a
  // program.
  bool is_shell_line(const std::string& script) const {
    if (script.find_first_of(kBlanks) == std::string::npos) return false;
    const std::string first = first_word_of(script);
    return !first.empty() && (!has_slash(first) || look_at(below_cwd(first)));
  }

  void resolve_shell_line() {
    const std::string line = spec_.script;
    const std::string first = first_word_of(line);
    if (!spec_.args.empty()) {
      return add_problem("args", "do not go together with a shell line; write them into 'script'");
    }
    shell_line_ = line;
    if (!spec_.kill_signal && expects_sigint(first)) spec_.kill_signal = SIGINT;
    spec_.script = look_at("/bin/bash") || look_at("/usr/bin/bash") ? "bash" : "sh";
    spec_.args = {"-c", line};
  }

  // From weak to strong: the files in their order, then env, then port.
  void resolve_env() {
    Environment of_files;
    for (std::string& path : spec_.env_file) {
      path = below_cwd(path);
      if (!context_.read_env_file) continue;
      auto text = context_.read_env_file(path);
      if (!text) {
        add_problem("env_file", text.error().message);
        continue;
      }
      auto variables = parse_env_file(*text, path);
      if (!variables) {
        add_problem("env_file", variables.error().message);
        continue;
      }
      for (auto& [name, value] : *variables) of_files[name] = std::move(value);
    }
    spec_.env.merge(of_files);  // what is there stays
    if (spec_.port) spec_.env["PORT"] = std::to_string(*spec_.port);
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
      spec_.name = shell_line_.empty() ? std::string(stem(spec_.script)) : name_of_shell_line();
      if (auto checked = check_app_name(spec_.name); !checked) {
        add_problem("script", "makes no good name: " + checked.error().message + "; give the app a 'name'");
      }
    } else if (!spec_.name.empty()) {
      if (auto checked = check_app_name(spec_.name); !checked) add_problem("name", checked.error().message);
    }
    if (spec_.append_env_to_name && !context_.env_profile.empty() && !spec_.name.empty()) {
      spec_.name += "-" + context_.env_profile;
      if (auto checked = check_app_name(spec_.name); !checked)
        add_problem("append_env_to_name", checked.error().message);
    }
    if (auto checked = check_namespace(spec_.name_space); !checked)
      add_problem("namespace", checked.error().message);
  }

  // The line itself, as PM2 has it, if it makes a good name.
  std::string name_of_shell_line() const {
    if (check_app_name(shell_line_)) return shell_line_;
    return std::string(stem(first_word_of(shell_line_)));
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

  void check_references(const std::string& text, const std::string& at, const std::string& pointer) {
    const auto unknown = find_unknown_socket(text, spec_.listen);
    if (!unknown) return;
    std::string known;
    for (std::size_t i = 0; i < spec_.listen.size(); ++i) known += " " + socket_name(spec_.listen, i);
    problems_.push_back({at, pointer,
                         "'listen' has no socket named " + in_quotes(*unknown) +
                             (known.empty() ? std::string("; it is empty") : "; it has" + known)});
  }

  void check_references(const Environment& variables, const std::string& key) {
    for (const auto& [name, value] : variables)
      check_references(value, "." + key + "." + name, "/" + key + pointer_step(name));
  }

  void check_readiness() {
    const Readiness::Kind kind = spec_.ready.kind;
    const bool says_so = kind == Readiness::Kind::automatic || kind == Readiness::Kind::notify ||
                         kind == Readiness::Kind::message;
    if (spec_.wait_ready && !says_so)
      add_problem("ready", "contradicts wait_ready, which means \"notify\"; leave one of them out");
    if (kind == Readiness::Kind::listening && spec_.exec_mode == ExecMode::fork)
      add_problem("ready", "\"listening\" is not seen with exec_mode fork; \"tcp://HOST:PORT\" is");
  }

  // What the daemon does not see it can neither stamp nor count nor cut.
  void check_direct_log() {
    if (spec_.log.target != LogTargetKind::direct) return;
    struct Conflict {
      bool found;
      const char* field;
    };
    for (const Conflict& one : {Conflict{!spec_.log.file.empty(), "log_file"},
                                Conflict{spec_.log.type == LogType::json, "log_type"},
                                Conflict{!stamp_format(spec_.log).empty(), "log_date_format"},
                                Conflict{spec_.log.rate_limit.has_value(), "log_rate_limit"},
                                Conflict{spec_.log.rotate.has_value(), "log_rotate"}}) {
      if (one.found)
        add_problem(one.field, "needs the daemon between app and file; leave out log \"direct\" or this key");
    }
  }

  // What any instance may answer says nothing about the one that is to be replaced for it.
  void check_health() {
    if (!spec_.health || is_aimed(spec_.health->probe)) return;
    if (spec_.instances == InstanceCount{InstanceCount::Kind::exactly, 1}) return;
    add_problem("health",
                in_quotes(std::string_view(spec_.health->probe.text)) +
                    " may be answered by any of several instances; put a variable of the instance "
                    "into it, as in \"http://:${PORT}/\" with increment_var, or use \"exec:COMMAND\"");
  }

  void resolve_watch() {
    for (std::string& path : spec_.watch.paths) path = below_cwd(path);
    if (!spec_.watch.on) return;
    const bool everything =
        spec_.watch.paths.empty() ? spec_.cwd == "/" : std::ranges::count(spec_.watch.paths, "/") > 0;
    if (everything)
      add_problem("watch", "would watch the whole system, / and all below it; name the folders instead");
  }

  void check_cron() {
    if (spec_.cron.zone.empty() || !context_.look_at_file) return;
    const auto has_zone = [this](const std::string& zone) {
      return look_at(std::string(kZoneFolder) + "/" + zone).has_value();
    };
    if (!has_zone("UTC") || has_zone(spec_.cron.zone)) return;  // without any zones the daemon says so
    add_problem("cron_timezone", in_quotes(spec_.cron.zone) +
                                     " is no time zone of this system: there is no such file in " +
                                     std::string(kZoneFolder));
  }

  void check_dependencies() {
    for (const std::string& name : spec_.depends_on) {
      if (name == spec_.name || name == spec_.name_space + ":" + spec_.name)
        add_problem("depends_on", "names the app itself");
    }
  }

  void check_socket_references() {
    for (std::size_t i = 0; i < spec_.args.size(); ++i)
      check_references(spec_.args[i], ".args[" + std::to_string(i) + "]", "/args");
    check_references(spec_.env, "env");
    for (const auto& [profile, variables] : spec_.env_profiles) check_references(variables, "env_" + profile);
  }

  AppSpec& spec_;
  const GivenFields& given_;
  const AppFileContext& context_;
  FieldProblems problems_;
  std::string shell_line_;  // what `script` was, if it is run by a shell
};

}  // namespace

FieldProblems resolve_app(AppSpec& spec, const GivenFields& given, const AppFileContext& context) {
  return Resolver(spec, given, context).resolve();
}

}  // namespace clusterd
