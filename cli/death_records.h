// Death records: the lines of deaths.jsonl that belong to some targets.
//
// Pure, over the text of the files; used by `why`. Which apps a target means is the daemon's to say; without
// a daemon, and for apps it has forgotten, the records are asked themselves. A line that cannot be read is
// left out.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd::cli {

struct DeathTarget {
  std::string name_space;
  std::string name;
  std::optional<int> slot;  // absent: every instance
};

// In the order of the text, which is the order in time.
std::vector<nlohmann::json> read_deaths(std::string_view text);

void keep_deaths_of(std::vector<nlohmann::json>& deaths, std::span<const DeathTarget> targets);

// What a word means if only the records are asked: name, namespace/name, either with .SLOT, or the id of the
// last one that had it. Empty: nothing that died had that name.
std::vector<DeathTarget> targets_in(std::span<const nlohmann::json> deaths, const std::string& word);

}  // namespace clusterd::cli
