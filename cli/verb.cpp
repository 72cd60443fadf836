#include "cli/verb.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/verb_rows.h"
#include "common/suggest.h"

namespace clusterd::cli {
namespace {

const std::vector<VerbRow>& rows() {
  static const std::vector<VerbRow> all = [] {
    std::vector<VerbRow> joined{app_verbs().begin(), app_verbs().end()};
    joined.insert(joined.end(), machine_verbs().begin(), machine_verbs().end());
    return joined;
  }();
  return all;
}

}  // namespace

std::span<const VerbRow> verb_table() { return rows(); }

const VerbRow& verb_row(Verb verb) { return *std::ranges::find(rows(), verb, &VerbRow::verb); }

const VerbRow* find_verb(std::string_view word) {
  for (const VerbRow& row : rows()) {
    if (row.name == word || std::ranges::count(row.aliases, word) > 0) return &row;
  }
  return nullptr;
}

std::string did_you_mean_verb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const VerbRow& row : rows()) {
    names.push_back(row.name);
    names.insert(names.end(), row.aliases.begin(), row.aliases.end());
  }
  return did_you_mean(word, names);
}

}  // namespace clusterd::cli
