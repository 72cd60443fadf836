#include "cli/prove/prove_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/units.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

std::uint64_t requests_of(const ProveReport& report) {
  std::uint64_t sum = 0;
  for (const RoundReport& round : report.rounds) sum += round.tally.requests();
  return sum;
}

std::uint64_t lost_of(const ProveReport& report) {
  std::uint64_t sum = 0;
  for (const RoundReport& round : report.rounds) sum += round.tally.lost();
  return sum;
}

std::uint64_t count_of(const ProveReport& report, Outcome outcome) {
  std::uint64_t sum = 0;
  for (const RoundReport& round : report.rounds) sum += round.tally.count(outcome);
  return sum;
}

std::string verdict_text(const RoundReport& round) {
  if (is_kept(round)) return "kept";
  if (round.tally.lost() > 0) return "lost " + std::to_string(round.tally.lost());
  return round.error.empty() ? "no request" : "failed";
}

// "3.9"
std::string seconds_text(std::chrono::milliseconds duration) {
  auto tenths = (duration.count() + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string table_of(const ProveReport& report, const Style& style) {
  std::vector<Column> columns{{"round", Align::left, 0, 0},
                              {"events", Align::right, 2, 0},
                              {"seconds", Align::right, 1, 0},
                              {"requests", Align::right, 0, 0}};
  for (Outcome outcome : kOutcomes) {
    bool is_side = outcome == Outcome::raced || outcome == Outcome::cut_by_kill;
    columns.push_back({outcome_title(outcome), Align::right, is_side ? 3 : 0, 0});
  }
  columns.push_back({"verdict", Align::left, 0, 0});
  std::vector<std::vector<Cell>> rows;
  for (const RoundReport& round : report.rounds) {
    std::vector<Cell> row{{std::string(round_word(round.round))},
                          {std::to_string(round.events)},
                          {seconds_text(round.duration)},
                          {std::to_string(round.tally.requests())}};
    for (Outcome outcome : kOutcomes) {
      std::uint64_t count = round.tally.count(outcome);
      bool is_bad = count > 0 && round.tally.counts_as_lost(outcome);
      row.push_back({std::to_string(count), is_bad ? Color::red : Color::none});
    }
    row.push_back({verdict_text(round), is_kept(round) ? Color::green : Color::red});
    rows.push_back(std::move(row));
  }
  return render_table(std::move(columns), std::move(rows), style);
}

std::string failure_text(const RoundReport& round, const FailedRequest& failure) {
  std::string text = std::string(round_word(round.round)) +
                     ": first failing request: " + outcome_title(failure.outcome) + " (" +
                     printable(failure.detail) + ")\n";
  text += "  when       " + format_duration_exact(failure.at) +
          " after the beginning of the round, during: " + printable(failure.event) + "\n";
  text +=
      "  client     " + std::string(client_word(failure.kind)) + ", to " + printable(failure.address) + "\n";
  text += "  sent       " + printable(failure.sent) + "\n";
  return text + "  came back  " + printable(failure.received) + "\n";
}

std::string last_line(const ProveReport& report) {
  std::string requests = std::to_string(requests_of(report));
  switch (verdict_of(report)) {
    case ProveVerdict::kept:
      return "verdict: kept every request (" + requests + ")\n";
    case ProveVerdict::unusable:
      return "verdict: none, for the app answers no request as wanted even while nothing happens to it; "
             "--path, --method, --header and --expect say what a good request is\n";
    case ProveVerdict::lost:
      break;
  }
  if (lost_of(report) == 0) return "verdict: not proven, an operation failed\n";
  return "verdict: lost " + std::to_string(lost_of(report)) + " of " + requests + "\n";
}

json failure_json(const std::optional<FailedRequest>& failure) {
  if (!failure) return nullptr;
  return {{"at_ms", failure->at.count()},
          {"client", client_word(failure->kind)},
          {"outcome", outcome_word(failure->outcome)},
          {"address", failure->address},
          {"event", failure->event},
          {"sent", failure->sent},
          {"received", printable(failure->received)},
          {"detail", failure->detail}};
}

json round_json(const RoundReport& round) {
  json object{{"round", round_word(round.round)},
              {"events", round.events},
              {"duration_ms", round.duration.count()},
              {"requests", round.tally.requests()},
              {"lost", round.tally.lost()},
              {"kept", is_kept(round)},
              {"error", round.error.empty() ? json(nullptr) : json(round.error)},
              {"first_failure", failure_json(round.tally.first_failure())}};
  for (Outcome outcome : kOutcomes) object[std::string(outcome_word(outcome))] = round.tally.count(outcome);
  return object;
}

}  // namespace

std::string_view verdict_word(ProveVerdict verdict) {
  if (verdict == ProveVerdict::kept) return "kept";
  return verdict == ProveVerdict::lost ? "lost" : "unusable";
}

// A round without requests has proven nothing.
bool is_kept(const RoundReport& round) {
  return round.error.empty() && round.tally.lost() == 0 && round.tally.count(Outcome::ok) > 0;
}

ProveVerdict verdict_of(const ProveReport& report) {
  if (report.rounds.empty() || report.rounds.front().tally.count(Outcome::ok) == 0)
    return ProveVerdict::unusable;
  return std::ranges::all_of(report.rounds, is_kept) ? ProveVerdict::kept : ProveVerdict::lost;
}

std::string render_prove(const ProveReport& report, const Style& style) {
  std::string text = table_of(report, style);
  for (const RoundReport& round : report.rounds) {
    if (const auto& failure = round.tally.first_failure()) text += "\n" + failure_text(round, *failure);
    if (!round.error.empty()) text += "\n" + printable_lines(round.error) + "\n";
  }
  if (count_of(report, Outcome::raced) > 0) {
    text +=
        "\nraced: a kept connection was closed while the next request was on its way. HTTP/1.1 cannot avoid "
        "it;\nclients repeat such requests. With --strict they count as lost.\n";
  }
  if (count_of(report, Outcome::cut_by_kill) > 0) {
    text += "\ncut by kill: was in the hands of a process when it was killed; nothing can save these.\n";
  }
  return text + "\n" + last_line(report);
}

json prove_json(const ProveReport& report) {
  json rounds = json::array();
  for (const RoundReport& round : report.rounds) rounds.push_back(round_json(round));
  return {{"verdict", verdict_word(verdict_of(report))},
          {"apps", report.apps},
          {"addresses", report.addresses},
          {"private_network", report.private_network},
          {"requests", requests_of(report)},
          {"lost", lost_of(report)},
          {"raced", count_of(report, Outcome::raced)},
          {"cut_by_kill", count_of(report, Outcome::cut_by_kill)},
          {"rounds", std::move(rounds)}};
}

}  // namespace clusterd::cli
