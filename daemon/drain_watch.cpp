#include "daemon/drain_watch.h"

#include <algorithm>
#include <vector>

namespace clusterd {
namespace {

// Most instances are idle and gone after two looks; a long drain is looked at less often.
constexpr std::chrono::milliseconds kFirstLooks{10};
constexpr std::chrono::milliseconds kLaterLooks{50};
constexpr int kFirstLooksCount = 10;
constexpr int kSilenceEvery = 5;  // looks

}  // namespace

void DrainWatch::watch(InstanceKey key, std::chrono::milliseconds settle) {
  State& state = watched_[key];
  state = {};
  state.settled_at = std::chrono::steady_clock::now() + settle;
  arm();
}

void DrainWatch::stop() {
  watched_.clear();
  timer_.cancel();
}

void DrainWatch::arm() {
  if (armed_ || watched_.empty()) return;
  armed_ = true;
  const bool young =
      std::ranges::any_of(watched_, [](const auto& entry) { return entry.second.looks < kFirstLooksCount; });
  timer_.expires_after(young ? kFirstLooks : kLaterLooks);
  timer_.async_wait([this](const boost::system::error_code& error) {
    armed_ = false;
    if (!error) look_at_all();
  });
}

void DrainWatch::look_at_all() {
  std::vector<InstanceKey> drained;
  const auto now = std::chrono::steady_clock::now();
  for (auto entry = watched_.begin(); entry != watched_.end();) {
    auto& [key, state] = *entry;
    const Look seen = eyes_.look(key);
    const bool empty = seen == Look::empty && now >= state.settled_at;
    const bool twice = empty && state.seen_empty;
    state.seen_empty = empty;
    if (++state.looks % kSilenceEvery == 0 && seen == Look::busy) eyes_.end_silent(key);
    if (twice) drained.push_back(key);
    entry = twice || seen == Look::over ? watched_.erase(entry) : std::next(entry);
  }
  for (const InstanceKey key : drained) eyes_.drained(key);
  arm();
}

}  // namespace clusterd
