#include "cli/list_order.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/list_view.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

constexpr std::array kTextFields{"name"sv, "namespace"sv, "status"sv};

double number_in(const json& instance, std::string_view field) {
  return number_of(instance, field == "uptime" ? "uptime_ms" : field).value_or(-1);
}

}  // namespace

void sort_instances(std::vector<json>& instances, std::string_view field, bool descending) {
  const bool is_text = std::ranges::count(kTextFields, field) > 0;
  std::ranges::stable_sort(instances, [&](const json& left, const json& right) {
    const json& a = descending ? right : left;
    const json& b = descending ? left : right;
    return is_text ? text_of(a, field) < text_of(b, field) : number_in(a, field) < number_in(b, field);
  });
}

std::string render_mini_list(const std::vector<json>& instances) {
  std::string text;
  for (const json& instance : instances) {
    const auto line = [&](const char* key, const std::string& value) {
      text += std::string(key) + " : " + value + "\n";
    };
    const auto number = [&](std::string_view key) {
      const auto value = integer_of(instance, key);
      return value ? std::to_string(*value) : std::string("-");
    };
    text += "+--- " + printable(text_of(instance, "name")) + "\n";
    line("namespace", printable(text_of(instance, "namespace")));
    line("version", version_text(instance));
    line("pid", number("pid"));
    line("pm2 id", number("id"));
    line("status", printable(text_of(instance, "status")));
    line("mode", printable(text_of(instance, "mode")));
    line("restarted", number("restarts"));
    line("uptime", uptime_text(instance));
    line("memory usage", memory_text(instance));
    line("error log", printable(text_of(instance, "error_file")));
    line("watching", flag_of(instance, "watching") ? "yes" : "no");
    line("PID file", printable(text_of(instance, "pid_file")));
  }
  return text;
}

}  // namespace clusterd::cli
