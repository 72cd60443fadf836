// EventJournal: what `prove` is doing to the app at this moment, for those who judge failing requests.
//
// The thread that orders reloads and kills writes it, the thread of the load clients reads it; a mutex guards
// every call. Times are of the steady clock. Owns nothing else.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace clusterd::cli {

using SteadyTime = std::chrono::steady_clock::time_point;

// A slow reader meets the end of a killed process's answer this much later.
inline constexpr std::chrono::milliseconds kKillEchoMax{3'000};

class EventJournal {
 public:
  void begin(std::string text);
  void end();
  std::string at_this_moment() const;  // "reload 2 of web", "after reload 2 of web", "nothing"

  // From just before the signal until the daemon has taken notice and swept the process's children.
  void kill_begins(SteadyTime now);
  void kill_over(SteadyTime now);
  // The process that had this connection may have been one of the killed: it was opened before the kill was
  // over and ended after it had begun. Bounds the excuse to one failure of each connection then open.
  bool may_be_cut_by_kill(SteadyTime opened_at, SteadyTime ended_at) const;

 private:
  struct Kill {
    SteadyTime began_at;
    SteadyTime over_at = SteadyTime::max();
  };

  mutable std::mutex mutex_;
  std::string text_;
  bool running_ = false;
  std::vector<Kill> kills_;
};

}  // namespace clusterd::cli
