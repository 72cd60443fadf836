#include "daemon/core/watch_pace.h"

#include <algorithm>

namespace clusterd {

void WatchPace::note_change(const std::string& path, Pause now) {
  if (!first_) {
    first_ = now;
    path_ = path;
    count_ = 0;
  }
  ++count_;
  last_ = now;
}

Pause WatchPace::pause() const {
  if (streak_ <= kWatchQuickRestartsFree) return Pause{0};
  const int doublings = std::min(streak_ - kWatchQuickRestartsFree, 10);
  return std::min(Pause{1'000} * (1 << doublings), kWatchPauseMax);
}

std::optional<Pause> WatchPace::due(Pause delay) const {
  if (!first_) return std::nullopt;
  const Pause quiet = std::min(last_ + delay, *first_ + std::max(delay, kWatchHoldMax));
  return restarted_ ? std::max(quiet, *restarted_ + pause()) : quiet;
}

std::string WatchPace::take(Pause now) {
  const bool quick = restarted_ && now - *restarted_ < kWatchQuickRestart + pause();
  streak_ = quick ? streak_ + 1 : 1;
  restarted_ = now;
  first_.reset();
  std::string text = path_ + " changed";
  if (count_ > 1)
    text += " (and " + std::to_string(count_ - 1) + (count_ == 2 ? " more change)" : " more changes)");
  return text;
}

}  // namespace clusterd
