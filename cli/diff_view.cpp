#include "cli/diff_view.h"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/text.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

struct OutcomeRow {
  std::string_view outcome;
  std::string_view sign;
  std::string_view words;
  Color color;
};

constexpr std::array kOutcomes{
    OutcomeRow{"started", "+", "would be started", Color::green},
    OutcomeRow{"registered", "+", "would be put into the list, not started", Color::green},
    OutcomeRow{"reloaded", "~", "would be reloaded", Color::yellow},
    OutcomeRow{"scaled", "~", "would be scaled", Color::yellow},
    OutcomeRow{"deleted", "-", "would be deleted", Color::red},
};

std::string value_text(const json& value) {
  return value.is_null() ? "(default)" : printable(to_line(value));
}

std::string change_line(const json& change) {
  const std::string key = printable(text_of(change, "key"));
  const std::string kind = text_of(change, "kind");
  if (!kind.empty()) return "    " + key + " " + kind + "\n";
  return "    " + key + ": " + value_text(member_of(change, "from")) + " -> " +
         value_text(member_of(change, "to")) + "\n";
}

}  // namespace

std::string render_diff(const json& apps, const Style& style) {
  std::string text;
  for (const json& app : apps) {
    std::string name = text_of(app, "name");
    if (text_of(app, "namespace") != "default") name = text_of(app, "namespace") + "/" + name;
    std::string line = "= " + printable(name) + " is as the file says\n";
    for (const OutcomeRow& row : kOutcomes) {
      if (row.outcome != text_of(app, "outcome")) continue;
      line = colored(std::string(row.sign) + " " + printable(name), row.color, style) + " " +
             std::string(row.words) + "\n";
    }
    text += line;
    for (const json& change : member_of(app, "changes")) text += change_line(change);
  }
  return text;
}

}  // namespace clusterd::cli
