// docs/lifecycle.md shows the table of the code: every phase, every trigger, every cell.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/lifecycle.h"

namespace clusterd {
namespace {

using Cells = std::vector<std::string>;

struct EffectWord {
  std::string_view word;
  bool Effects::* effect;
};
constexpr std::array kEffectWords{
    EffectWord{"launch", &Effects::launch},
    EffectWord{"admit", &Effects::admit},
    EffectWord{"steer_away", &Effects::steer_away},
    EffectWord{"signal", &Effects::signal},
    EffectWord{"kill", &Effects::kill},
    EffectWord{"blame", &Effects::blame},
    EffectWord{"attempt", &Effects::attempt},
    EffectWord{"settle", &Effects::settle},
    EffectWord{"stuck", &Effects::stuck},
};
static_assert(sizeof(Effects) == kEffectWords.size(), "every effect has a word");

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

// "| a | b |" -> a, b
Cells cells_of(std::string_view line) {
  Cells cells;
  for (std::size_t begin = 1; begin < line.size();) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

// Heading, ruler and rows of the one table whose first column is "trigger".
std::vector<Cells> documented_table() {
  std::ifstream file(CLUSTERD_SOURCE_DIR "/docs/lifecycle.md");
  std::vector<Cells> table;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| trigger |")) in_table = true;
    if (!line.starts_with('|')) in_table = false;
    if (in_table) table.push_back(cells_of(line));
  }
  return table;
}

std::string cell_of(const Transition& transition) {
  if (transition.answer == Answer::ignore) return "-";
  if (transition.answer == Answer::bug) return "bug";
  std::string words;
  for (const EffectWord& row : kEffectWords) {
    if (!(transition.effects.*row.effect)) continue;
    if (!words.empty()) words += ", ";
    words += row.word;
  }
  const std::string next(phase_name(transition.next));
  return words.empty() ? next : next + " (" + words + ")";
}

}  // namespace

TEST_CASE("docs/lifecycle.md shows exactly the table of the code") {
  const std::vector<Cells> table = documented_table();
  REQUIRE(table.size() == 2 + kTriggerCount);

  Cells heading{"trigger"};
  for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
    heading.emplace_back(phase_name(static_cast<Phase>(phase)));
  }
  REQUIRE(table.front() == heading);

  for (std::size_t index = 0; index < kTriggerCount; ++index) {
    const Trigger trigger = static_cast<Trigger>(index);
    Cells row{std::string(trigger_name(trigger))};
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
      row.push_back(cell_of(advance(static_cast<Phase>(phase), trigger)));
    }
    CHECK(table[2 + index] == row);
  }
}

}  // namespace clusterd
