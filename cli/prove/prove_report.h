// The report of `prove`: what is known after all rounds, as a table with sentences, and as JSON.
//
// Pure. The keys of the JSON are documented in docs/cli.md and stay.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/prove/prove_options.h"
#include "cli/prove/tally.h"
#include "cli/table.h"

namespace clusterd::cli {

struct RoundReport {
  Round round = Round::baseline;
  int events = 0;
  std::chrono::milliseconds duration{0};
  Tally tally;
  std::string error;  // of an operation that failed
};

struct ProveReport {
  std::vector<std::string> apps;
  std::vector<std::string> addresses;
  bool private_network = true;
  std::vector<RoundReport> rounds;
};

enum class ProveVerdict {
  kept,      // every request of every round
  lost,      // some were lost, or an operation failed
  unusable,  // in peace not one request was answered as wanted: nothing can be said
};

std::string_view verdict_word(ProveVerdict verdict);
ProveVerdict verdict_of(const ProveReport& report);
bool is_kept(const RoundReport& round);

std::string render_prove(const ProveReport& report, const Style& style);
nlohmann::json prove_json(const ProveReport& report);

}  // namespace clusterd::cli
