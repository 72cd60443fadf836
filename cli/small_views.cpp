#include "cli/small_views.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/json_read.h"
#include "cli/list_view.h"
#include "config/spec_json.h"

namespace clusterd::cli {

using nlohmann::json;

std::string render_env(const json& env) {
  std::string text;
  auto variables = environment_from_json(env);  // bytes that are not UTF-8 included
  if (!variables) return text;
  for (const auto& [name, value] : *variables) text += name + "=" + value + "\n";
  return text;
}

std::string render_pids(const json& instances) {
  std::string text;
  for (const json& instance : sorted_instances(instances)) {
    if (auto pid = integer_of(instance, "pid")) text += std::to_string(*pid) + "\n";
  }
  return text;
}

std::string render_ids(const json& instances, std::string_view name) {
  std::set<std::int64_t> ids;
  for (const json& instance : sorted_instances(instances)) {
    auto id = integer_of(instance, "id");
    if (id && text_of(instance, "name") == name) ids.insert(*id);
  }
  if (ids.empty()) return "[]\n";
  std::string text = "[ ";
  for (std::int64_t id : ids) text += (id == *ids.begin() ? "" : ", ") + std::to_string(id);
  return text + " ]\n";
}

std::string render_doctor(const json& checks, const Style& style) {
  std::string text;
  if (!checks.is_array()) return text;
  std::size_t width = 0;
  for (const json& check : checks) width = std::max(width, display_width(printable(text_of(check, "name"))));
  for (const json& check : checks) {
    bool ok = flag_of(check, "ok");
    text += colored(ok ? "ok  " : "warn", ok ? Color::green : Color::yellow, style) + "  ";
    text += pad(printable(text_of(check, "name")), width, Align::left) + "  " +
            printable(text_of(check, "detail"));
    text += "\n";
    std::string hint = printable(text_of(check, "hint"));
    if (!hint.empty()) text += "      " + hint + "\n";
  }
  return text;
}

}  // namespace clusterd::cli
