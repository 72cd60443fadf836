#include "cli/describe_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/balance_view.h"
#include "cli/json_read.h"
#include "cli/list_view.h"
#include "common/date_format.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kLabelWidthMin = 18;

std::string value_text(const json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (!value.is_array()) return printable(to_line(value));
  std::string text;
  for (const json& item : value) {
    if (!text.empty()) text += " ";
    bool plain = item.is_string() && !item.get_ref<const std::string&>().empty() &&
                 item.get_ref<const std::string&>().find_first_of(" \t\"'") == std::string::npos;
    text += plain ? value_text(item) : printable(to_line(item));
  }
  return text;
}

std::string section(const std::string& title, const Lines& lines, const Style& style) {
  std::string text = colored(title, Color::cyan, style) + "\n";
  std::size_t width = kLabelWidthMin;
  for (const auto& line : lines) width = std::max(width, display_width(line.first));
  for (const auto& [label, value] : lines) {
    text += "  " + pad(label, width, Align::left) + " " + value + "\n";
  }
  return text;
}

void add_text(Lines& lines, const json& object, std::string_view key, std::string label) {
  const json& value = member_of(object, key);
  if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty())) return;
  lines.emplace_back(std::move(label), value_text(value));
}

std::string exit_text(const json& instance) {
  const json& exit = member_of(instance, "exit");
  if (auto code = integer_of(exit, "code")) return "code " + std::to_string(*code);
  std::string signal = text_of(exit, "signal");
  return signal.empty() ? "" : "by " + printable(signal);
}

// "passing", "failing (2): answered 503"
std::string health_text(const json& health) {
  std::string text = printable(text_of(health, "state"));
  if (text != "failing") return text;
  text += " (";
  text += std::to_string(integer_of(health, "failures").value_or(0));
  text += "): ";
  text += printable(text_of(health, "note"));
  return text;
}

// In the words that PM2's users look for.
void add_program(Lines& lines, const json& instance) {
  lines.emplace_back("version", version_text(instance));
  add_text(lines, instance, "max_memory_restart", "max memory restart");
  add_text(lines, instance, "cron_restart", "cron restart");
  const char* path = text_of(instance, "exec_path").empty() ? "script" : "exec_path";
  add_text(lines, instance, path, "script path");
  if (!member_of(instance, "args").empty()) add_text(lines, instance, "args", "script args");
  add_text(lines, instance, "out_file", "out log path");
  add_text(lines, instance, "error_file", "error log path");
  add_text(lines, instance, "pid_file", "pid path");
  const std::string interpreter = printable(text_of(instance, "interpreter"));
  lines.emplace_back("interpreter", interpreter.empty() ? "none" : interpreter);
  if (!member_of(instance, "interpreter_args").empty())
    add_text(lines, instance, "interpreter_args", "interpreter args");
  add_text(lines, instance, "cwd", "exec cwd");
  add_text(lines, instance, "mode", "exec mode");
  lines.emplace_back("watch & reload", flag_of(instance, "watching") ? "enabled" : "disabled");
  if (const auto created = integer_of(instance, "created_at_ms"))
    lines.emplace_back("created at", iso_utc(*created));
}

std::string instance_section(const json& instance, const Style& style) {
  Lines lines;
  std::string status = text_of(instance, "status");
  lines.emplace_back("status", colored(printable(status), status_color(status), style));
  add_text(lines, instance, "reason", "reason");
  add_text(lines, instance, "status_text", "says");
  if (std::string health = health_text(member_of(instance, "health")); !health.empty())
    lines.emplace_back("health", health);
  if (integer_of(instance, "next_start_ms")) lines.emplace_back("next", trouble_text(instance));
  add_text(lines, instance, "pid", "pid");
  lines.emplace_back("uptime", uptime_text(instance));
  add_text(lines, instance, "restarts", "restarts");
  add_text(lines, instance, "unstable_restarts", "unstable restarts");
  if (std::string exit = exit_text(instance); !exit.empty()) lines.emplace_back("last exit", exit);
  lines.emplace_back("cpu", cpu_text(instance));
  lines.emplace_back("memory", memory_text(instance));
  if (std::string connections = connections_text(instance); !connections.empty())
    lines.emplace_back("connections", connections);
  add_text(lines, instance, "generation", "generation");
  add_text(lines, instance, "user", "user");
  add_program(lines, instance);
  auto number = [&](std::string_view key) { return std::to_string(integer_of(instance, key).value_or(0)); };
  return section("Instance " + number("slot") + " (id " + number("id") + ")", lines, style);
}

// What came of the setting: "least_conn (the kernel allows it)", "random instead of round_robin (...)".
std::string balance_outcome(const json& app, const json& asked) {
  std::string outcome = balance_text(app);
  if (outcome.empty()) return value_text(asked);
  std::string word = printable(text_of(app, "balance"));
  std::string wish = value_text(asked);
  if (wish != "auto" && wish != word) outcome.insert(word.size(), " instead of " + wish);
  return outcome;
}

std::string settings_section(const json& app, const Style& style) {
  Lines lines;
  const json& spec = member_of(app, "spec");
  if (spec.is_object()) {
    for (const auto& [key, value] : spec.items()) {
      std::string text = key == "balance" ? balance_outcome(app, value) : value_text(value);
      lines.emplace_back(printable(key), std::move(text));
    }
  }
  add_text(lines, app, "generation", "generation");
  const json& rollout = member_of(app, "rollout");
  if (rollout.is_object()) lines.emplace_back("rollout", value_text(rollout));
  const json& canary = member_of(app, "canary");
  if (canary.is_object()) lines.emplace_back("canary", value_text(canary));
  return section("App " + printable(text_of(spec, "name")), lines, style);
}

// Only where there is a schedule or a watched tree.
std::string triggers_section(const json& app, const Style& style) {
  Lines lines;
  const json& cron = member_of(app, "cron");
  const json& times = member_of(cron, "next");
  if (times.is_array()) {
    for (const json& time : times) lines.emplace_back(lines.empty() ? "next times" : "", value_text(time));
    add_text(lines, cron, "time_zone", "time zone");
  }
  const json& watch = member_of(app, "watch");
  add_text(lines, watch, "folders", "watched folders");
  add_text(lines, watch, "fault", "not watched");
  return lines.empty() ? "" : section("Restarts", lines, style);
}

std::string listeners_section(const json& listeners, const Style& style) {
  Lines lines;
  for (const json& listener : listeners) {
    std::string text = printable(text_of(listener, "source"));
    if (std::string balance = balance_text(listener); !balance.empty()) text += ", " + balance;
    lines.emplace_back(printable(text_of(listener, "address")), text);
  }
  return section("Listens on", lines, style);
}

}  // namespace

std::string render_describe(const json& apps, const Style& style) {
  std::string text;
  if (!apps.is_array()) return text;
  for (const json& app : apps) {
    if (!text.empty()) text += "\n";
    text += settings_section(app, style);
    text += triggers_section(app, style);
    const json& listeners = member_of(app, "listeners");
    if (listeners.is_array() && !listeners.empty()) text += listeners_section(listeners, style);
    for (const json& instance : sorted_instances(member_of(app, "instances"))) {
      text += instance_section(instance, style);
    }
  }
  return text;
}

}  // namespace clusterd::cli
