#include "cli/file_targets.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/app_sources.h"
#include "cli/json_read.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

Result<std::set<std::string>> known_apps(Client& client) {
  auto all = client.call("list", json::object());
  if (!all) return fail(all.error());
  std::set<std::string> names;
  for (const json& instance : member_of(all->result, "instances"))
    names.insert(text_of(instance, "namespace") + "/" + text_of(instance, "name"));
  return names;
}

bool takes_files(Verb verb) {
  return verb == Verb::stop || verb == Verb::remove || verb == Verb::restart || verb == Verb::reload;
}

}  // namespace

bool names_file(const Arguments& arguments, const Caller& caller) {
  return takes_files(arguments.verb) &&
         std::ranges::any_of(arguments.targets, [&](const std::string& target) {
           return as_app_file(target, caller).has_value();
         });
}

Result<> check_file_options(const Arguments& arguments, bool has_file) {
  if (has_file && !arguments.app_settings.empty()) {
    return fail(ErrorCode::usage, "the setting '" + arguments.app_settings.front().key +
                                      "' goes with the name of an app; with a file, write it into the file");
  }
  if (has_file && arguments.canary)
    return fail(ErrorCode::usage, "--canary goes with the name of one app, not with a file");
  if (has_file || (arguments.env_profile.empty() && arguments.only.empty() && !arguments.prune)) return {};
  return fail(ErrorCode::usage,
              "--env, --only and --prune go with an ecosystem file; name the file instead of the app");
}

Result<Arguments> with_files_resolved(const Context& context, Client& client) {
  Arguments arguments = context.arguments;
  arguments.targets.clear();
  auto known = known_apps(client);
  if (!known) return fail(known.error());
  for (const std::string& target : context.arguments.targets) {
    const auto file = as_app_file(target, context.caller);
    if (!file) {
      arguments.targets.push_back(target);
      continue;
    }
    auto source = apps_of_file(*file, context.arguments, context.caller);
    if (!source) return fail(source.error());
    if (!source->how.empty()) context.console.note(*file + ": " + source->how);
    for (const AppSpec& app : source->apps) {
      const std::string full_name = app.name_space + "/" + app.name;
      if (known->contains(full_name)) {
        arguments.targets.push_back(full_name);
      } else {
        context.console.note(app.name + ": not in the list");
      }
    }
  }
  return arguments;
}

}  // namespace clusterd::cli
