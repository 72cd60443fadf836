#include "cli/list_view.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "cli/balance_view.h"
#include "cli/json_read.h"
#include "common/units.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kNameWidthMin = 6;

bool has_process(const json& instance) { return integer_of(instance, "pid").has_value(); }

std::string integer_text(const json& object, std::string_view key) {
  auto value = integer_of(object, key);
  return value ? std::to_string(*value) : "-";
}

const std::vector<Column>& list_columns() {
  static const std::vector<Column> kColumns{
      {"id", Align::left, 0, 0},        {"name", Align::left, 0, kNameWidthMin},
      {"namespace", Align::left, 4, 0}, {"version", Align::left, 3, 0},
      {"mode", Align::left, 8, 0},      {"pid", Align::left, 6, 0},
      {"uptime", Align::left, 7, 0},    {"↺", Align::left, 11, 0},
      {"status", Align::left, 0, 0},    {"cpu", Align::left, 9, 0},
      {"mem", Align::left, 10, 0},      {"conn", Align::left, 5, 0},
      {"user", Align::left, 1, 0},      {"watching", Align::left, 2, 0},
  };
  return kColumns;
}

std::vector<Cell> list_row(const json& instance) {
  std::string status = text_of(instance, "status");
  Color color = status_color(status);
  return {
      {integer_text(instance, "id")},
      {printable(text_of(instance, "name"))},
      {printable(text_of(instance, "namespace"))},
      {version_text(instance)},
      {printable(text_of(instance, "mode"))},
      {integer_text(instance, "pid")},
      {uptime_text(instance)},
      {integer_text(instance, "restarts")},
      {printable(status), color},
      {cpu_text(instance)},
      {memory_text(instance)},
      {open_text(instance)},
      {printable(text_of(instance, "user"))},
      {flag_of(instance, "watching") ? "enabled" : "disabled"},
  };
}

bool is_in_trouble(const json& instance) {
  std::string status = text_of(instance, "status");
  return status == "errored" || status == "waiting restart";
}

}  // namespace

const std::vector<std::string_view> kListFields{
    "id",     "name",   "namespace",   "generation", "slot",     "version",
    "mode",   "pid",    "uptime_ms",   "status",     "restarts", "cpu",
    "memory", "reason", "connections", "user",       "watching", "next_start_ms"};

std::vector<json> sorted_instances(const json& instances) {
  std::vector<json> sorted;
  if (instances.is_array()) sorted.assign(instances.begin(), instances.end());
  std::ranges::stable_sort(sorted, {}, [](const json& instance) {
    return std::tuple{text_of(instance, "name"), text_of(instance, "namespace"),
                      integer_of(instance, "id").value_or(0), integer_of(instance, "generation").value_or(0)};
  });
  return sorted;
}

Color status_color(std::string_view status) {
  if (status == "online") return Color::green;
  if (status == "launching" || status == "stopping") return Color::blue;
  if (status == "waiting restart") return Color::yellow;
  return Color::red;
}

std::string uptime_text(const json& instance) {
  auto uptime = integer_of(instance, "uptime_ms");
  if (!uptime || *uptime < 0 || !has_process(instance)) return "0";
  return format_duration_short(std::chrono::milliseconds(*uptime));
}

std::string cpu_text(const json& instance) {
  if (!has_process(instance)) return "0%";
  auto cpu = number_of(instance, "cpu");
  if (!cpu) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%%", *cpu);
  return text;
}

std::string version_text(const json& instance) {
  std::string version = printable(text_of(instance, "version"));
  return version.empty() ? "N/A" : version;
}

std::string memory_text(const json& instance) {
  auto memory = integer_of(instance, "memory");
  return format_size(memory && *memory > 0 ? static_cast<std::uint64_t>(*memory) : 0);
}

std::string trouble_text(const json& instance) {
  std::string text = printable(text_of(instance, "name")) + "." + integer_text(instance, "slot") + ": ";
  std::string reason = printable(text_of(instance, "reason"));
  text += reason.empty() ? printable(text_of(instance, "status")) : reason;
  if (auto next_start = integer_of(instance, "next_start_ms")) {
    char wait[32];
    std::snprintf(wait, sizeof wait, "%.1f s",
                  static_cast<double>(std::max<std::int64_t>(*next_start, 0)) / 1000);
    text += std::string("; next start in ") + wait;
    text += ", restart " + std::to_string(integer_of(instance, "restarts").value_or(0) + 1);
  }
  return text;
}

std::string render_list(const json& instances, const Style& style) {
  return render_rows(sorted_instances(instances), style);
}

std::string render_rows(const std::vector<json>& instances, const Style& style) {
  std::vector<std::vector<Cell>> rows;
  for (const json& instance : instances) rows.push_back(list_row(instance));
  return render_table(list_columns(), std::move(rows), style) + render_troubles(instances, style);
}

std::string render_troubles(const json& instances, const Style& style) {
  std::string text;
  std::vector<json> sorted = sorted_instances(instances);
  for (std::size_t i = 0; i < sorted.size();) {
    auto key_of = [](const json& view) {
      return std::pair{text_of(view, "name"), text_of(view, "namespace")};
    };
    const json* first = nullptr;
    int others = 0;
    auto app = key_of(sorted[i]);
    for (; i < sorted.size() && key_of(sorted[i]) == app; ++i) {
      if (!is_in_trouble(sorted[i])) continue;
      if (first == nullptr) {
        first = &sorted[i];
      } else {
        ++others;
      }
    }
    if (first == nullptr) continue;
    std::string line = trouble_text(*first);
    if (others > 0) line += " (and " + std::to_string(others) + " more)";
    text += colored(std::move(line), status_color(text_of(*first, "status")), style) + "\n";
  }
  return text;
}

}  // namespace clusterd::cli
