#include "daemon/dump.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/spec_json.h"

namespace clusterd {

using nlohmann::json;

SavedApp saved_app(const App& app) {
  SavedApp saved{app.spec(), {}};
  const bool held = !app.waits_for.empty();  // it is to run, only not yet
  for (std::size_t slot = 0; slot < app.size(); ++slot)
    saved.slots.push_back(held ? Goal::up : app.wanted.slots[slot].goal);
  return saved;
}

std::string write_dump(const std::vector<SavedApp>& apps) {
  json list = json::array();
  for (const SavedApp& app : apps) {
    json slots = json::array();
    for (const Goal goal : app.slots) slots.push_back(goal == Goal::up ? "up" : "down");
    list.push_back({{"app", to_json(app.spec)}, {"slots", std::move(slots)}});
  }
  const json dump{{"version", kDumpVersion}, {"apps", std::move(list)}};
  return dump.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

Error broken(const std::string& why) { return {ErrorCode::config, "the saved list is broken: " + why}; }

Result<SavedApp> read_entry(const json& entry) {
  if (!entry.is_object() || !entry.contains("app") || !entry.contains("slots") ||
      !entry["slots"].is_array()) {
    return fail(broken("an entry of \"apps\" is not an app"));
  }
  auto spec = parse_resolved_app(entry["app"]);
  if (!spec) return fail(broken(spec.error().message));
  SavedApp app{std::move(*spec), {}};
  for (const json& slot : entry["slots"]) app.slots.push_back(slot == "down" ? Goal::down : Goal::up);
  if (app.slots.empty() || app.slots.size() > kInstancesMax) {
    return fail(broken(app.spec.name + ": wrong number of slots"));
  }
  return app;
}

}  // namespace

Result<std::vector<SavedApp>> read_dump(std::string_view text, std::vector<Error>& faults) {
  const json dump = json::parse(text, nullptr, false);
  if (!dump.is_object() || !dump.contains("version") || !dump["version"].is_number_integer()) {
    return fail(broken("it is not a list that `clusterd save` wrote"));
  }
  if (dump["version"] != kDumpVersion) {
    return fail(ErrorCode::protocol, "the saved list has version " + dump["version"].dump() +
                                         ", this clusterd reads version " + std::to_string(kDumpVersion));
  }
  const auto apps = dump.find("apps");
  if (apps == dump.end() || !apps->is_array()) return fail(broken("\"apps\" is missing"));
  std::vector<SavedApp> result;
  for (const json& entry : *apps) {
    auto app = read_entry(entry);
    if (app) {
      result.push_back(std::move(*app));
    } else {
      faults.push_back(app.error());
    }
  }
  return result;
}

}  // namespace clusterd
