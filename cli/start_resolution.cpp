#include "cli/start_resolution.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/app_sources.h"
#include "cli/local_files.h"
#include "common/path_text.h"
#include "common/suggest.h"

namespace clusterd::cli {
namespace {

using Kind = StartStep::Kind;

// One word's meaning; `step` is valid if `said` is not empty.
struct Meaning {
  StartStep step;
  std::string said;
  std::vector<std::string> warnings;
  std::string executed = {};
};
using Attempt = Result<std::optional<Meaning>>;

class Resolver {
 public:
  Resolver(const Arguments& arguments, const Caller& caller, const AskDaemon& ask_daemon)
      : arguments_(arguments), caller_(caller), ask_daemon_(ask_daemon) {}

  Result<Meaning> resolve(const std::string& target);
  Result<Meaning> resolve_default_file();

 private:
  Attempt as_app_file(const std::string& target);
  Attempt as_file(const std::string& target);
  Attempt as_known_app(const std::string& target);
  Attempt as_app_of_default_file(const std::string& target);
  Attempt as_program(const std::string& target);
  Attempt as_shell_line(const std::string& target);

  Result<Meaning> file_meaning(const std::string& path, const Arguments& arguments, std::string said);
  Result<Meaning> script_meaning(const std::string& path, std::string said);
  Result<> refuse_app_options(const std::string& what) const;
  Error nothing_found(const std::string& target) const;

  const Arguments& arguments_;
  const Caller& caller_;
  const AskDaemon& ask_daemon_;
  std::vector<std::string> names_;  // of apps met on the way, for did-you-mean
};

Result<Meaning> Resolver::resolve(const std::string& target) {
  if (target.empty()) return fail(ErrorCode::usage, "an empty word cannot be started");
  using Step = Attempt (Resolver::*)(const std::string&);
  for (Step step : {&Resolver::as_app_file, &Resolver::as_file, &Resolver::as_known_app,
                    &Resolver::as_app_of_default_file, &Resolver::as_program, &Resolver::as_shell_line}) {
    Attempt attempt = (this->*step)(target);
    if (!attempt) return fail(attempt.error());
    if (*attempt) return std::move(**attempt);
  }
  return fail(nothing_found(target));
}

Result<Meaning> Resolver::resolve_default_file() {
  auto path = default_app_file(caller_);
  if (path) return file_meaning(*path, arguments_, "starting the apps of " + *path);
  return fail(ErrorCode::not_found, "nothing to start: no target given, and no ecosystem file in " +
                                        caller_.cwd + " (" + default_app_file_names() +
                                        "); for example: clusterd start ./server");
}

Attempt Resolver::as_app_file(const std::string& target) {
  auto path = cli::as_app_file(target, caller_);
  if (!path) return std::nullopt;
  const std::string shown = target == kStandardInput ? "standard input" : target;
  auto meaning = file_meaning(*path, arguments_, shown + ": starting the apps of this file");
  if (!meaning) return fail(meaning.error());
  return std::move(*meaning);
}

Attempt Resolver::as_file(const std::string& target) {
  std::string path = join_path(caller_.cwd, target);
  FileKind kind = look_at(path);
  if (kind == FileKind::missing || kind == FileKind::folder)
    return std::nullopt;  // a folder: maybe a known name
  if (kind == FileKind::other) return fail(ErrorCode::config, path + " is not a regular file");
  auto meaning = script_meaning(path, target + ": starting the file " + path);
  if (!meaning) return fail(meaning.error());
  return std::move(*meaning);
}

Attempt Resolver::as_known_app(const std::string& target) {
  // `start sleep -- 100` once more: who says how to run it means the program, whatever is known by its name.
  const bool describes = !arguments_.app_args.empty() || !arguments_.app_settings.empty();
  if (describes && find_on_path(target, variable(caller_, "PATH"))) return std::nullopt;
  auto known = ask_daemon_(target);
  if (!known) return fail(known.error());
  std::ranges::copy(known->names, std::back_inserter(names_));
  if (!known->matches) return std::nullopt;
  if (auto refused = refuse_app_options("'" + target + "' is an app the daemon knows"); !refused) {
    return fail(refused.error());
  }
  return Meaning{{Kind::known, {}, {target}, {}}, target + ": starting the app the daemon knows", {}};
}

Attempt Resolver::as_app_of_default_file(const std::string& target) {
  auto path = default_app_file(caller_);
  if (!path) return std::nullopt;
  Arguments any = arguments_;
  any.only.clear();
  auto all = apps_of_file(*path, any, caller_);
  if (!all) return fail(all.error());  // what the user means may stand behind the mistake
  for (const AppSpec& app : all->apps) names_.push_back(app.name);
  if (std::ranges::count(all->apps, target, &AppSpec::name) == 0) return std::nullopt;
  any.only = {target};
  auto meaning = file_meaning(*path, any, target + ": starting the app of that name in " + *path);
  if (!meaning) return fail(meaning.error());
  return std::move(*meaning);
}

Attempt Resolver::as_program(const std::string& target) {
  auto found = find_on_path(target, variable(caller_, "PATH"));
  if (!found) return std::nullopt;
  std::string path = join_path(caller_.cwd, *found);
  auto meaning = script_meaning(path, target + ": starting the program " + path);
  if (!meaning) return fail(meaning.error());
  return std::move(*meaning);
}

// "npm run start": blanks, and a program in front.
Attempt Resolver::as_shell_line(const std::string& target) {
  const std::size_t blank = target.find_first_of(" \t");
  if (blank == 0 || blank == std::string::npos) return std::nullopt;
  const std::string first = target.substr(0, blank);
  const bool is_program = first.find('/') == std::string::npos
                              ? find_on_path(first, variable(caller_, "PATH")).has_value()
                              : look_at(join_path(caller_.cwd, first)) == FileKind::executable;
  if (!is_program) return std::nullopt;
  auto meaning = script_meaning(target, target + ": starting this line with a shell");
  if (!meaning) return fail(meaning.error());
  return std::move(*meaning);
}

Result<Meaning> Resolver::file_meaning(const std::string& path, const Arguments& arguments,
                                       std::string said) {
  if (auto refused = refuse_app_options(path + " is an ecosystem file"); !refused)
    return fail(refused.error());
  auto source = apps_of_file(path, arguments, caller_);
  if (!source) return fail(source.error());
  if (source->apps.empty()) return fail(ErrorCode::config, path + " contains no apps");
  std::string executed = source->how.empty() ? "" : path + ": " + source->how;
  StartStep step{Kind::apply_apps, std::move(source->apps), {}, {}};
  if (path != kStandardInput) step.files.push_back(path);
  return Meaning{std::move(step), std::move(said), std::move(source->warnings), std::move(executed)};
}

Result<Meaning> Resolver::script_meaning(const std::string& path, std::string said) {
  if (!arguments_.env_profile.empty() || !arguments_.only.empty()) {
    return fail(ErrorCode::usage,
                "--env and --only choose from an ecosystem file; " + path + " is a program");
  }
  auto source = app_of_command_line(path, arguments_, caller_);
  if (!source) return fail(source.error());
  for (const AppSpec& app : source->apps) {
    if (!app.interpreter.empty()) said += " with " + app.interpreter;
  }
  return Meaning{
      {Kind::new_apps, std::move(source->apps), {}, {}}, std::move(said), std::move(source->warnings)};
}

// Options that would be ignored are a misunderstanding, so they are refused.
Result<> Resolver::refuse_app_options(const std::string& what) const {
  if (!arguments_.app_args.empty()) {
    return fail(ErrorCode::usage, what + ": arguments after -- apply to a program only");
  }
  if (arguments_.app_settings.empty()) return {};
  return fail(ErrorCode::usage, what + ": the setting '" + arguments_.app_settings.front().key +
                                    "' applies to a program only; write it into the file");
}

Error Resolver::nothing_found(const std::string& target) const {
  std::string path = join_path(caller_.cwd, target);
  if (look_at(path) == FileKind::folder) {
    return {ErrorCode::not_found, path + " is a folder; name the program or the ecosystem file in it"};
  }
  std::vector<std::string_view> names(names_.begin(), names_.end());
  std::string message =
      "nothing to start called '" + target + "': no file " + path + ", no app the daemon knows";
  message +=
      default_app_file(caller_) ? ", no app in " + *default_app_file(caller_) : ", no ecosystem file here";
  if (target.find('/') == std::string::npos) message += ", no program on PATH";
  return {ErrorCode::not_found, message + did_you_mean(target, names)};
}

void append(StartPlan& plan, Meaning meaning) {
  plan.choices.push_back(std::move(meaning.said));
  if (!meaning.executed.empty()) plan.executed.push_back(std::move(meaning.executed));
  std::ranges::move(meaning.warnings, std::back_inserter(plan.warnings));
  StartStep& step = meaning.step;
  if (plan.steps.empty() || plan.steps.back().kind != step.kind) {
    plan.steps.push_back(std::move(step));
    return;
  }
  std::ranges::move(step.apps, std::back_inserter(plan.steps.back().apps));
  std::ranges::move(step.targets, std::back_inserter(plan.steps.back().targets));
  std::ranges::move(step.files, std::back_inserter(plan.steps.back().files));
}

// One --name cannot belong to two programs.
Result<> check_names(const Arguments& arguments) {
  bool named = std::ranges::count(arguments.app_settings, "name", &AppSetting::key) > 0;
  if (!named || arguments.targets.size() < 2) return {};
  return fail(ErrorCode::usage, "--name names one app, but " + std::to_string(arguments.targets.size()) +
                                    " targets are given; arguments of the program stand after --");
}

}  // namespace

Result<StartPlan> resolve_files(const Arguments& arguments, const Caller& caller) {
  const std::string verb(verb_row(arguments.verb).name);
  for (const std::string& target : arguments.targets) {
    if (as_app_file(target, caller)) continue;
    if (is_app_file_name(target))
      return fail(ErrorCode::not_found, "there is no file " + join_path(caller.cwd, target));
    return fail(ErrorCode::usage, verb + ": '" + target + "' is no ecosystem file");
  }
  return resolve_start(arguments, caller,
                       [](const std::string&) -> Result<KnownApps> { return KnownApps{}; });
}

Result<StartPlan> resolve_start(const Arguments& arguments, const Caller& caller,
                                const AskDaemon& ask_daemon) {
  if (auto checked = check_names(arguments); !checked) return fail(checked.error());
  Resolver resolver(arguments, caller, ask_daemon);
  StartPlan plan;
  if (arguments.targets.empty()) {
    auto meaning = resolver.resolve_default_file();
    if (!meaning) return fail(meaning.error());
    append(plan, std::move(*meaning));
  }
  for (const std::string& target : arguments.targets) {
    auto meaning = resolver.resolve(target);
    if (!meaning) return fail(meaning.error());
    append(plan, std::move(*meaning));
  }
  return plan;
}

}  // namespace clusterd::cli
