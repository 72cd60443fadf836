// WatchPace: when the changes of a tree of files become one restart, and how a loop of them is slowed down.
//
// Problem: a checkout changes 500 files within a second, and an app that writes into its own folder would
// restart itself for ever. Idea: a restart waits for quiet, but not for ever; restarts that follow one
// another at once are held back longer and longer. Pure: the time comes in. One for each watched app, owned
// by daemon/watch_restarts.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace clusterd {

using Pause = std::chrono::milliseconds;  // since some fixed moment, or a duration

inline constexpr Pause kWatchHoldMax{10'000};       // changes that never end are obeyed all the same
inline constexpr Pause kWatchQuickRestart{10'000};  // a restart so soon after another may be a loop
inline constexpr int kWatchQuickRestartsFree = 5;   // so many in a row are somebody who types fast
inline constexpr Pause kWatchPauseMax{60'000};

class WatchPace {
 public:
  void note_change(const std::string& path, Pause now);

  // When to restart, if nothing else changes; nothing: no change waits.
  std::optional<Pause> due(Pause delay) const;

  // The restart is ordered: what has changed, as a sentence. held_back(): it came in a row, which is worth a
  // warning.
  std::string take(Pause now);
  bool held_back() const { return streak_ > kWatchQuickRestartsFree; }
  Pause pause() const;

  void forget() { first_.reset(); }  // the changes that wait

 private:
  std::optional<Pause> first_;
  Pause last_{0};
  std::string path_;  // of the first change
  int count_ = 0;
  int streak_ = 0;
  std::optional<Pause> restarted_;
};

}  // namespace clusterd
