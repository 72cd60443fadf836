#include "cli/app_sources.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/config_program.h"
#include "cli/local_files.h"
#include "cli/yaml_file.h"
#include "common/path_text.h"
#include "common/suggest.h"
#include "config/app_file.h"
#include "config/env_file.h"
#include "config/jsonc.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

constexpr std::array kExtensions{".json"sv, ".jsonc"sv, ".json5"sv, ".yaml"sv, ".yml"sv};
constexpr std::array kDefaultFiles{
    "ecosystem.json"sv,       "clusterd.json"sv,        "ecosystem.config.js"sv,
    "ecosystem.config.cjs"sv, "ecosystem.config.mjs"sv, "ecosystem.config.ts"sv,
    "ecosystem.yaml"sv,       "ecosystem.yml"sv,        "ecosystem.json5"sv};

AppFileContext context_for(const Arguments& arguments, const Caller& caller) {
  AppFileContext context;
  context.base_dir = caller.cwd;
  context.user_home = caller.user_home;
  context.inherited_env = inherited_environment(caller.environment);
  context.env_profile = arguments.env_profile;
  context.look_at_file = [](const std::string& path) { return script_facts(path); };
  context.read_env_file = [](const std::string& path) { return read_file(path, kEnvFileBytesMax); };
  return context;
}

Result<AppSource> source_of(AppFileResult parsed) {
  if (parsed.errors.empty()) return AppSource{std::move(parsed.apps), std::move(parsed.warnings)};
  std::string message;
  for (const std::string& error : parsed.errors) {
    if (!message.empty()) message += "\n";
    message += error;
  }
  return fail(ErrorCode::config, std::move(message));
}

Result<> keep_only(std::vector<AppSpec>& apps, const std::vector<std::string>& only,
                   const std::string& path) {
  if (only.empty()) return {};
  std::vector<std::string_view> names;
  for (const AppSpec& app : apps) names.push_back(app.name);
  for (const std::string& wanted : only) {
    if (std::ranges::count(names, wanted) > 0) continue;
    return fail(ErrorCode::not_found,
                "no app called '" + wanted + "' in " + path + did_you_mean(wanted, names));
  }
  std::erase_if(apps, [&](const AppSpec& app) { return std::ranges::count(only, app.name) == 0; });
  return {};
}

json value_of(const AppSetting& setting) {
  switch (setting.kind) {
    case AppSetting::Kind::on:
      return true;
    case AppSetting::Kind::off:
      return false;
    case AppSetting::Kind::text:
      return setting.values.front();
    case AppSetting::Kind::list:
      break;
  }
  json list = json::array();
  for (std::string_view text : setting.values) {
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) list.push_back(std::string(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  return list;
}

// The file's text in its own format, through the one parser.
Result<AppFileResult> read_and_parse(const std::string& path, AppFileContext& context, const Caller& caller,
                                     std::string& how) {
  if (is_config_program(path)) {
    auto program = run_config_program(path, context.file_name, caller);
    if (!program) return fail(program.error());
    how = "executed by " + program->node;
    return parse_app_document(program->document, context);
  }
  auto text = path == kStandardInput ? read_standard_input(kConfigFileBytesMax)
                                     : read_file(path, kConfigFileBytesMax);
  if (!text) return fail(text.error());
  const std::string_view suffix = extension(path);
  if (suffix == ".yaml" || suffix == ".yml") {
    auto document = parse_yaml(*text, context.file_name);
    if (!document) return fail(document.error());
    return parse_app_document(*document, context);
  }
  context.is_json5 = suffix == ".json5" || path == kStandardInput;
  context.is_package = base_name(path) == "package.json";
  return parse_app_file(*text, context);
}

}  // namespace

bool is_app_file_name(std::string_view path) {
  return path == kStandardInput || is_config_program(path) ||
         std::ranges::count(kExtensions, extension(path)) > 0;
}

std::optional<std::string> default_app_file(const Caller& caller) {
  for (std::string_view name : kDefaultFiles) {
    std::string path = join_path(caller.cwd, name);
    FileKind kind = look_at(path);
    if (kind == FileKind::file || kind == FileKind::executable) return path;
  }
  return std::nullopt;
}

std::string default_app_file_names() {
  std::string names;
  for (std::string_view name : kDefaultFiles) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::optional<std::string> as_app_file(const std::string& word, const Caller& caller) {
  if (!is_app_file_name(word)) return std::nullopt;
  if (word == kStandardInput) return word;
  std::string path = join_path(caller.cwd, word);
  return look_at(path) == FileKind::missing ? std::nullopt : std::optional(path);
}

Result<AppSource> apps_of_file(const std::string& path, const Arguments& arguments, const Caller& caller) {
  AppFileContext context = context_for(arguments, caller);
  context.file_name = path.starts_with(caller.cwd + "/") ? path.substr(caller.cwd.size() + 1) : path;
  if (path == kStandardInput) {
    context.file_name = "standard input";
  } else {
    context.base_dir = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    context.source_file = path;
  }
  std::string how;
  auto parsed = read_and_parse(path, context, caller, how);
  if (!parsed) return fail(parsed.error());
  auto source = source_of(std::move(*parsed));
  if (!source) return source;
  source->how = std::move(how);
  if (auto kept = keep_only(source->apps, arguments.only, context.file_name); !kept)
    return fail(kept.error());
  return source;
}

Result<AppSource> app_of_command_line(const std::string& script, const Arguments& arguments,
                                      const Caller& caller) {
  json app{{"script", script}, {"args", arguments.app_args}};
  if (std::ranges::count(arguments.app_settings, "cwd", &AppSetting::key) == 0) app["cwd"] = caller.cwd;
  for (const AppSetting& setting : arguments.app_settings) app[setting.key] = value_of(setting);
  return source_of(parse_app_object(app, context_for(arguments, caller)));
}

json settings_of_command_line(const Arguments& arguments, const Caller& caller) {
  constexpr std::array kPathKeys{"cwd"sv, "out_file"sv, "error_file"sv, "log_file"sv, "pid_file"sv};
  json settings = json::object();
  for (const AppSetting& setting : arguments.app_settings) {
    json value = value_of(setting);
    if (value == "NULL") value = "/dev/null";
    if (value.is_string() && std::ranges::count(kPathKeys, setting.key) > 0)
      value = join_path(caller.cwd, expand_home(value.get_ref<const std::string&>(), caller.user_home));
    settings[setting.key] = std::move(value);
  }
  return settings;
}

}  // namespace clusterd::cli
