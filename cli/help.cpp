#include "cli/help.h"

#include <algorithm>

#include "cli/option_table.h"

namespace clusterd::cli {
namespace {

constexpr std::size_t kVerbColumn = 14;
constexpr std::size_t kOptionColumn = 38;

std::string padded(std::string text, std::size_t width) {
  text.append(text.size() < width ? width - text.size() : 1, ' ');
  return text;
}

std::string option_line(const OptionRow& row) {
  std::string names;
  for (std::string_view name : names_of(row)) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  if (takes_word(row)) names += " " + std::string(row.value_name);
  if (row.value_optional) names += "[=" + std::string(row.value_name) + "]";
  return "  " + padded(names, kOptionColumn) + std::string(row.help) + "\n";
}

std::string option_lines(Verb verb, bool common) {
  std::string lines;
  for (const OptionRow& row : option_table()) {
    if (applies_to(row, verb) && row.verbs.empty() == common) lines += option_line(row);
  }
  return lines;
}

}  // namespace

std::string overview_text() {
  std::string text = "Usage: clusterd VERB [TARGET...] [OPTIONS]\n\nVerbs:\n";
  for (const VerbRow& row : verb_table()) {
    text += "  " + padded(std::string(row.name), kVerbColumn) + std::string(row.summary) + "\n";
  }
  text +=
      "\nA target is `all`, a name, a namespace, namespace/name, name.slot, an id, or /a regular expression "
      "on names/.\n"
      "\nFor every verb:\n";
  text += option_lines(Verb::help, true);
  text += "\nExample: clusterd start ./server -i max\nMore:    clusterd help start\n";
  return text;
}

std::string verb_help_text(const VerbRow& row) {
  std::string usage = "Usage: clusterd " + std::string(row.name);
  if (!row.operands.empty()) usage += " " + std::string(row.operands);
  std::string summary(row.summary);
  summary[0] = static_cast<char>(summary[0] - 'a' + 'A');
  std::string text = usage + "\n\n" + summary + ".\n";
  if (!row.details.empty()) text += std::string(row.details) + "\n";
  if (!row.aliases.empty()) {
    text += "Also:";
    for (std::string_view alias : row.aliases) text += " " + std::string(alias);
    text += "\n";
  }
  std::string own = option_lines(row.verb, false);
  if (!own.empty()) text += "\nOptions:\n" + own;
  text += "\nFor every verb:\n" + option_lines(row.verb, true);
  return text + "\nExample: " + std::string(row.example) + "\n";
}

}  // namespace clusterd::cli
