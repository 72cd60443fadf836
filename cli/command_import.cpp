// `clusterd import pm2`: PM2's list as an ecosystem file.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/app_sources.h"
#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/new_file.h"
#include "cli/operation_run.h"
#include "cli/pm2_list.h"
#include "cli/pm2_takeover.h"
#include "common/path_text.h"
#include "config/pm2_import.h"

namespace clusterd::cli {
namespace {

constexpr mode_t kEcosystemMode = 0600;  // it holds environments, and they hold passwords
constexpr std::string_view kDefaultOutput = "ecosystem.json";

Result<> check_words(const Arguments& arguments) {
  const std::string& word = arguments.targets.front();
  if (word == "pm2") return {};
  return fail(ErrorCode::usage, "import knows the word 'pm2' only, not '" + word + "'");
}

Result<> check_start(const Arguments& arguments, const Pm2List& list) {
  if (!arguments.import.start) return {};
  if (arguments.import.output == kStandardInput)
    return fail(ErrorCode::usage, "--start needs the file that the apps are of; say another --output");
  if (list.daemon != 0) return {};
  return fail(ErrorCode::conflict, "--start takes apps over from a PM2 that runs, and " + list.source +
                                       " is a file; start the apps with `clusterd start FILE`");
}

int take_over_all(const Context& context, const Pm2List& list, const Pm2Import& import,
                  const std::string& path) {
  auto source = apps_of_file(path, context.arguments, context.caller);
  if (!source) return report(source.error(), context.console);
  auto client = launch_daemon(context);
  if (!client) return report(client.error(), context.console);
  auto moved = take_over_from_pm2(*client, {list, source->apps, import.ids}, context.console);
  if (!moved) return report(moved.error(), context.console);
  context.console.note(
      "PM2 has none of these apps any more; `pm2 unstartup` and `pm2 kill` end the rest of it, "
      "`clusterd save` keeps the list");
  return 0;
}

}  // namespace

int run_import(const Context& context) {
  const ImportOptions& options = context.arguments.import;
  if (auto checked = check_words(context.arguments); !checked)
    return report(checked.error(), context.console);
  auto list = read_pm2_list(options.file, context.caller);
  if (!list) return report(list.error(), context.console);
  if (auto checked = check_start(context.arguments, *list); !checked)
    return report(checked.error(), context.console);
  // Apps of another user stay his: root moves them over without making them root's.
  const std::string user = list->user == geteuid() ? "" : std::to_string(list->user);
  auto import = import_pm2(list->records, {list->home, user, context.caller.environment});
  if (!import) return report(import.error(), context.console);
  if (import->apps.empty())
    return report({ErrorCode::not_found, "no apps in " + list->source}, context.console);
  for (const std::string& notice : import->notices) context.console.note(notice);
  const std::string text = ecosystem_text(*import);
  if (options.output == kStandardInput) {
    context.console.out(text);
    return 0;
  }
  const std::string path =
      join_path(context.caller.cwd, options.output.empty() ? kDefaultOutput : options.output);
  const Existing existing = context.arguments.force ? Existing::replace : Existing::keep;
  if (auto written = write_new_file(path, text, kEcosystemMode, existing); !written) {
    Error error = written.error();
    if (error.code == ErrorCode::conflict) error.message += "; --output names another, --force replaces it";
    return report(error, context.console);
  }
  context.console.note("wrote " + path + " with " + std::to_string(import->apps.size()) + " apps of " +
                       list->source);
  return options.start ? take_over_all(context, *list, *import, path) : 0;
}

}  // namespace clusterd::cli
