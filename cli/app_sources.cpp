#include "cli/app_sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/local_files.h"
#include "common/path_text.h"
#include "common/suggest.h"
#include "config/app_file.h"
#include "config/jsonc.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

AppFileContext context_for(const Arguments& arguments, const Caller& caller) {
  AppFileContext context;
  context.base_dir = caller.cwd;
  context.user_home = caller.user_home;
  context.inherited_env = inherited_environment(caller.environment);
  context.env_profile = arguments.env_profile;
  context.look_at_file = [](const std::string& path) { return script_facts(path); };
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

}  // namespace

bool is_app_file_name(std::string_view path) {
  std::string_view suffix = extension(path);
  return suffix == ".json" || suffix == ".jsonc" || suffix == ".json5";
}

std::optional<Error> refuse_foreign_config(std::string_view path) {
  for (std::string_view ending : {".config.js", ".config.cjs", ".config.mjs", ".config.ts"}) {
    if (!path.ends_with(ending)) continue;
    return Error{ErrorCode::config, std::string(path) +
                                        " is a program; clusterd reads JSON only and executes no "
                                        "configuration. Convert it once, for example:\n  node -p "
                                        "'JSON.stringify(require(\"./" +
                                        std::string(base_name(path)) + "\"), null, 2)' > ecosystem.json"};
  }
  for (std::string_view ending : {".yaml", ".yml"}) {
    if (path.ends_with(ending)) {
      return Error{ErrorCode::config, std::string(path) + " is YAML; clusterd reads JSON only for now"};
    }
  }
  return std::nullopt;
}

std::optional<std::string> default_app_file(const Caller& caller) {
  for (const char* name : {"ecosystem.json", "clusterd.json"}) {
    std::string path = join_path(caller.cwd, name);
    FileKind kind = look_at(path);
    if (kind == FileKind::file || kind == FileKind::executable) return path;
  }
  return std::nullopt;
}

Result<AppSource> apps_of_file(const std::string& path, const Arguments& arguments, const Caller& caller) {
  auto text = read_file(path, kConfigFileBytesMax);
  if (!text) return fail(text.error());
  AppFileContext context = context_for(arguments, caller);
  context.file_name = path.starts_with(caller.cwd + "/") ? path.substr(caller.cwd.size() + 1) : path;
  context.base_dir = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  auto source = source_of(parse_app_file(*text, context));
  if (!source) return source;
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

}  // namespace clusterd::cli
