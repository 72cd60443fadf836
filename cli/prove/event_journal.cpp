#include "cli/prove/event_journal.h"

#include <algorithm>
#include <utility>

namespace clusterd::cli {

void EventJournal::begin(std::string text) {
  std::lock_guard lock(mutex_);
  text_ = std::move(text);
  running_ = true;
}

void EventJournal::end() {
  std::lock_guard lock(mutex_);
  running_ = false;
}

std::string EventJournal::at_this_moment() const {
  std::lock_guard lock(mutex_);
  if (text_.empty()) return "nothing";
  return running_ ? text_ : "after " + text_;
}

void EventJournal::kill_begins(SteadyTime now) {
  std::lock_guard lock(mutex_);
  kills_.push_back({now});
}

void EventJournal::kill_over(SteadyTime now) {
  std::lock_guard lock(mutex_);
  if (!kills_.empty()) kills_.back().over_at = now;
}

bool EventJournal::may_be_cut_by_kill(SteadyTime opened_at, SteadyTime ended_at) const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(kills_, [&](const Kill& kill) {
    bool in_time = kill.over_at == SteadyTime::max() || ended_at <= kill.over_at + kKillEchoMax;
    return opened_at <= kill.over_at && ended_at >= kill.began_at && in_time;
  });
}

}  // namespace clusterd::cli
