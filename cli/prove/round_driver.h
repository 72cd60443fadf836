// RoundDriver: what happens to the app in each round: reloads, kills, restarts, changes of scale.
//
// Used by ProveRun while the load runs in its own thread. Blocks; a round lasts until its duration is over
// and the operation then under way has ended, and does its operations at least kProveEventsMin times. An
// operation that fails ends the round; its error says what the daemon said.
#pragma once

#include <random>

#include "cli/prove/event_journal.h"
#include "cli/prove/prove_options.h"
#include "cli/prove/proved_app.h"

namespace clusterd::cli {

inline constexpr int kProveEventsMin = 2;
inline constexpr std::chrono::milliseconds kEventPause{300};  // from one to the next, at least
// For the app to be whole again after a kill: longer than the longest pause between restarts.
inline constexpr std::chrono::milliseconds kWholeTimeout{60'000};

struct RoundEvents {
  int count = 0;
  std::optional<Error> error;
};

class RoundDriver {
 public:
  RoundDriver(const ProveOptions& options, EventJournal& journal) : options_(options), journal_(journal) {}

  // The apps take turns.
  RoundEvents drive(Round round, std::vector<ProvedApp>& apps);

 private:
  Result<> one_event(Round round, ProvedApp& app, int number);
  Result<> kill_one(ProvedApp& app, int number);
  Result<> wait_until_whole(ProvedApp& app, const ProvedInstance& victim);
  Result<> restart_one(ProvedApp& app, int number);
  Result<> scale_one(ProvedApp& app, int number);
  Result<std::vector<ProvedInstance>> online_instances(ProvedApp& app);

  const ProveOptions& options_;
  EventJournal& journal_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace clusterd::cli
