#include "cli/why_view.h"

#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "common/date_format.h"
#include "common/local_time.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

std::string when(const json& death) {
  return format_date("YYYY-MM-DD HH:mm:ss", local_time(integer_of(death, "at_ms").value_or(0)));
}

std::string shown(const json& death, std::string_view key) { return printable(text_of(death, key)); }

std::string one_line(const json& death) {
  return when(death) + "  " + death_label(death) + "  " + shown(death, "cause") + "; " +
         shown(death, "decision_text") + "\n";
}

// The text begins wherever the last 4 KiB began: most often in the middle of a line.
std::string quoted(std::string_view title, const std::string& text) {
  std::string result = "  " + std::string(title) + "\n";
  const std::string safe = printable_lines(text);
  for (std::size_t begin = 0; begin < safe.size();) {
    const std::size_t end = std::min(safe.find('\n', begin), safe.size());
    result += "    " + safe.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result;
}

std::string in_full(const json& death, const Style& style) {
  const auto id = integer_of(death, "id");
  const auto pid = integer_of(death, "pid");
  std::string text = colored(death_label(death), Color::cyan, style) + " ended " + when(death);
  if (pid) text += ", pid " + std::to_string(*pid);
  if (id) text += ", id " + std::to_string(*id);
  text += ", while " + shown(death, "phase") + "\n";
  text += "  cause: " + colored(shown(death, "cause"), Color::red, style) + "\n";
  text += "  then:  " + shown(death, "decision_text") + "\n";
  const std::string error = text_of(death, "stderr");
  const std::string output = text_of(death, "stdout");
  if (!error.empty()) return text + quoted("the end of its standard error:", error);
  if (!output.empty())
    return text + quoted("nothing on standard error; the end of its standard output:", output);
  return text + "  it had written nothing\n";
}

}  // namespace

std::string death_label(const json& death) {
  const std::string name_space = text_of(death, "namespace");
  const std::string place = name_space.empty() || name_space == "default" ? "" : name_space + "/";
  return printable(place + text_of(death, "name")) + "." +
         std::to_string(integer_of(death, "slot").value_or(0));
}

std::string render_deaths(std::span<const json> deaths, const Style& style) {
  std::string text;
  for (const json& death : deaths.first(deaths.empty() ? 0 : deaths.size() - 1)) text += one_line(death);
  if (!deaths.empty()) text += (text.empty() ? "" : "\n") + in_full(deaths.back(), style);
  return text;
}

}  // namespace clusterd::cli
