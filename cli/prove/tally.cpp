#include "cli/prove/tally.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace clusterd::cli {

std::string_view client_word(ClientKind kind) {
  if (kind == ClientKind::fresh) return "new";
  return kind == ClientKind::kept ? "keep-alive" : "slow";
}

std::string_view outcome_word(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomes.size()> kWords{
      "ok", "refused", "reset", "truncated", "timed_out", "wrong_status", "raced", "cut_by_kill"};
  return kWords[static_cast<std::size_t>(outcome)];
}

std::string outcome_title(Outcome outcome) {
  std::string title(outcome_word(outcome));
  std::ranges::replace(title, '_', ' ');
  return title;
}

void Tally::add_failure(FailedRequest failure) {
  add(failure.outcome);
  if (counts_as_lost(failure.outcome) && !first_failure_) first_failure_ = std::move(failure);
}

bool Tally::counts_as_lost(Outcome outcome) const {
  if (outcome == Outcome::raced) return races_ == Races::counted;
  return outcome != Outcome::ok && outcome != Outcome::cut_by_kill;
}

std::uint64_t Tally::requests() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t Tally::lost() const {
  std::uint64_t sum = 0;
  for (Outcome outcome : kOutcomes) sum += counts_as_lost(outcome) ? count(outcome) : 0;
  return sum;
}

}  // namespace clusterd::cli
