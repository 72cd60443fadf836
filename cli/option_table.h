// Option table: every option of every verb, described once.
//
// Pure data plus the small functions that store a value into Arguments. arguments.cpp registers the rows that
// apply to a verb, help.cpp prints them, and a test holds docs/cli.md against them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace clusterd::cli {

struct OptionRow {
  using Apply = Result<> (*)(Arguments&, const std::vector<std::string>& values);

  std::string_view names;       // "-n,--name"
  std::string_view value_name;  // empty: a flag
  std::string_view help;
  std::vector<Verb> verbs;  // empty: every verb
  Apply apply = nullptr;    // null: an app setting, described by the two below
  std::string_view key = {};
  AppSetting::Kind kind = AppSetting::Kind::text;
  bool value_optional =
      false;  // --name or --name=VALUE; the next word is its value only if it looks like one
};

std::span<const OptionRow> option_table();
bool applies_to(const OptionRow& row, Verb verb);
std::vector<std::string_view> names_of(const OptionRow& row);  // {"-n", "--name"}
const OptionRow* find_option(std::string_view name);           // of any verb; null: unknown
inline bool takes_word(const OptionRow& row) { return !row.value_name.empty() && !row.value_optional; }

}  // namespace clusterd::cli
