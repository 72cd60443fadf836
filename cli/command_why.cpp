// `clusterd why`: reads the record of deaths in the home folder, also when no daemon runs.
#include <nlohmann/json.hpp>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/death_records.h"
#include "cli/json_read.h"
#include "cli/local_files.h"
#include "cli/operation_run.h"
#include "cli/why_view.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kDeathFileBytesMax = 16 * 1024 * 1024;  // the daemon keeps far less
constexpr int kDeathsDefault = 10;

// deaths.jsonl becomes deaths.1.jsonl when it is full.
Result<std::vector<json>> all_deaths(const HomePaths& paths) {
  std::string text;
  const std::string older = paths.deaths.substr(0, paths.deaths.rfind('.')) + ".1.jsonl";
  for (const std::string& path : {older, paths.deaths}) {
    auto content = read_file(path, kDeathFileBytesMax);
    if (content) text += *content;
    if (!content && content.error().code != ErrorCode::not_found) return fail(content.error());
  }
  return read_deaths(text);
}

// Instances that the daemon knows by this word; an error if no daemon answers or it knows none.
Result<std::vector<json>> ask_daemon(const Context& context, const std::string& word) {
  auto client = Client::connect(context.paths.control_socket);
  if (!client) return fail(client.error());
  auto response = client->call("list", {{"targets", {word}}});
  if (!response) return fail(response.error());
  if (response->error) return fail(*response->error);
  const json& instances = member_of(response->result, "instances");
  return instances.is_array() ? instances.get<std::vector<json>>() : std::vector<json>{};
}

DeathTarget target_of(const json& view) {
  const auto slot = integer_of(view, "slot");
  return {text_of(view, "namespace"), text_of(view, "name"),
          slot ? std::optional<int>(static_cast<int>(*slot)) : std::nullopt};
}

void note_no_death(const Context& context, const std::vector<json>& instances) {
  for (const json& view : instances) {
    context.console.note(death_label(view) + ": no death is recorded; it is " + text_of(view, "status"));
  }
}

}  // namespace

int run_why(const Context& context) {
  auto deaths = all_deaths(context.paths);
  if (!deaths) return report(deaths.error(), context.console);
  std::vector<DeathTarget> targets;
  std::vector<json> known;
  for (const std::string& word : context.arguments.targets) {
    auto instances = ask_daemon(context, word);
    if (instances) {
      for (const json& view : *instances) targets.push_back(target_of(view));
      known.insert(known.end(), instances->begin(), instances->end());
      continue;
    }
    const auto recorded = targets_in(*deaths, word);
    if (recorded.empty()) return report(instances.error(), context.console);
    targets.insert(targets.end(), recorded.begin(), recorded.end());
  }
  keep_deaths_of(*deaths, targets);
  const auto count = static_cast<std::size_t>(context.arguments.logs.lines.value_or(kDeathsDefault));
  std::span<const json> shown(*deaths);
  if (shown.size() > count) shown = shown.last(count);
  if (context.arguments.json) {
    context.console.out(to_line(json(std::vector<json>(shown.begin(), shown.end()))) + "\n");
    return 0;
  }
  if (deaths->empty()) note_no_death(context, known);
  context.console.out(render_deaths(shown, context.console.out_style()));
  return 0;
}

}  // namespace clusterd::cli
