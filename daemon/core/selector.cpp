#include "daemon/core/selector.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <regex>

#include "common/suggest.h"

namespace clusterd {
namespace {

using Selected = std::map<std::size_t, std::vector<int>>;  // empty vector: whole app

std::vector<std::size_t> apps_where(std::span<const AppFacts> apps, auto&& predicate) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < apps.size(); ++i) {
    if (predicate(apps[i])) found.push_back(i);
  }
  return found;
}

Result<std::vector<std::size_t>> by_regex(std::span<const AppFacts> apps, const std::string& target) {
  const std::string pattern = target.substr(1, target.size() - 2);
  if (pattern.size() > kRegexBytesMax)
    return fail(ErrorCode::usage, "regular expression is too long: " + target);
  try {
    // The polynomial executor: no pattern, however nested, can stall the daemon.
    const std::regex expression(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    auto found =
        apps_where(apps, [&](const AppFacts& app) { return std::regex_search(app.name, expression); });
    if (found.empty()) return fail(ErrorCode::not_found, "no app name matches " + target);
    return found;
  } catch (const std::regex_error& error) {
    return fail(ErrorCode::usage, target + " is not a regular expression: " + error.what());
  }
}

std::optional<int> as_id(const std::string& target) {
  int id = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), id);
  if (error != std::errc{} || end != target.data() + target.size() || id < 0) return std::nullopt;
  if (std::to_string(id) != target) return std::nullopt;  // "01" and "+1" are names, not ids
  return id;
}

Error unknown_target(std::span<const AppFacts> apps, const std::string& target) {
  std::vector<std::string> known;
  for (const AppFacts& app : apps) known.push_back(app.name);
  std::string message = "no app, namespace or id matches '" + target + "'";
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  if (const auto near = closest(target, candidates))
    message += "; did you mean '" + std::string(*near) + "'?";
  return {ErrorCode::not_found, message};
}

Result<std::vector<std::size_t>> by_name(std::span<const AppFacts> apps, const std::string& target) {
  auto found = apps_where(apps, [&](const AppFacts& app) { return app.name == target; });
  if (found.size() > 1) {
    std::string message = "'" + target + "' is the name of several apps: ";
    for (std::size_t i = 0; i < found.size(); ++i) {
      message += (i ? ", " : "") + apps[found[i]].name_space + "/" + apps[found[i]].name;
    }
    return fail(ErrorCode::conflict, message + "; say which");
  }
  if (!found.empty()) return found;
  found = apps_where(apps, [&](const AppFacts& app) { return app.name_space + "/" + app.name == target; });
  if (!found.empty()) return found;
  return apps_where(apps, [&](const AppFacts& app) { return app.name_space == target; });
}

class Selector {
 public:
  explicit Selector(std::span<const AppFacts> apps) : apps_(apps) {}

  Result<> add(const std::string& target) {
    if (target == "all") {
      for (std::size_t i = 0; i < apps_.size(); ++i) add_app(i);
      return {};
    }
    const bool is_regex = target.size() > 2 && target.front() == '/' && target.back() == '/';
    auto found = is_regex ? by_regex(apps_, target) : by_name(apps_, target);
    if (!found) return fail(found.error());
    if (found->empty()) return add_instance(target);
    for (std::size_t app : *found) add_app(app);
    return {};
  }

  std::vector<Selection> take() {
    std::vector<Selection> result;
    for (auto& [app, slots] : selected_) {
      std::ranges::sort(slots);
      result.push_back({app, std::move(slots)});
    }
    return result;
  }

 private:
  void add_app(std::size_t app) { selected_[app].clear(); }

  void add_slot(std::size_t app, int slot) {
    const bool whole = selected_.contains(app) && selected_[app].empty();
    auto& slots = selected_[app];
    if (!whole && std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
  }

  Result<> add_instance(const std::string& target) {
    if (const auto id = as_id(target)) {
      for (std::size_t app = 0; app < apps_.size(); ++app) {
        const auto slot = std::ranges::find(apps_[app].ids, *id);
        if (slot == apps_[app].ids.end()) continue;
        add_slot(app, static_cast<int>(slot - apps_[app].ids.begin()));
        return {};
      }
    }
    const std::size_t dot = target.rfind('.');
    const auto slot = dot == target.npos ? std::nullopt : as_id(target.substr(dot + 1));
    if (!slot) return fail(unknown_target(apps_, target));
    return add_numbered(target, target.substr(0, dot), *slot);
  }

  // "web.3": an instance as clusterd calls it.
  Result<> add_numbered(const std::string& target, const std::string& name, int slot) {
    auto found = by_name(apps_, name);
    if (!found) return fail(found.error());
    const bool one_app = found->size() == 1 && apps_[found->front()].name_space != name;
    if (!one_app) return fail(unknown_target(apps_, target));
    const std::size_t count = apps_[found->front()].ids.size();
    if (static_cast<std::size_t>(slot) >= count) {
      return fail(ErrorCode::not_found, name + " has no instance " + std::to_string(slot) + "; it has " +
                                            std::to_string(count) + ", counted from 0");
    }
    add_slot(found->front(), slot);
    return {};
  }

  std::span<const AppFacts> apps_;
  Selected selected_;
};

}  // namespace

Result<std::vector<Selection>> select_targets(std::span<const AppFacts> apps,
                                              std::span<const std::string> targets) {
  Selector selector(apps);
  for (const std::string& target : targets) {
    if (auto added = selector.add(target); !added) return fail(added.error());
  }
  return selector.take();
}

}  // namespace clusterd
