// LoadLoop: all clients of one round, in one thread of their own.
//
// start() lets them begin requests, at most `rate` a second between them; finish() lets those in flight come
// to their end (each has a time limit) and hands over the tally. Nothing else is shared with the thread but
// the journal.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "cli/prove/load_client.h"

namespace clusterd::cli {

class LoadLoop {
 public:
  LoadLoop(const ProveOptions& options, const std::vector<LoadAddress>& addresses, EventJournal& journal);
  LoadLoop(const LoadLoop&) = delete;
  LoadLoop& operator=(const LoadLoop&) = delete;
  ~LoadLoop();

  void start();
  Tally finish();

 private:
  void run();
  void begin_requests(SteadyTime now);
  void wait_and_advance(SteadyTime now);
  bool all_idle() const;

  LoadRound round_;
  std::vector<LoadClient> clients_;
  std::size_t first_in_turn_ = 0;
  double tokens_ = 1;  // requests that may begin now
  SteadyTime tokens_at_{};
  std::atomic<bool> finishing_ = false;
  std::thread thread_;
};

}  // namespace clusterd::cli
