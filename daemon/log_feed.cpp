#include "daemon/log_feed.h"

#include <algorithm>

namespace clusterd {

LogFeed::Tap::Tap(LogFeed& feed, OutputPump& pump, LogOrigin origin)
    : feed_(feed), pump_(pump), origin_(std::move(origin)) {
  feed_.taps_.insert(this);
  refresh();
}

LogFeed::Tap::~Tap() {
  pump_.set_sink(nullptr);
  feed_.taps_.erase(this);
}

void LogFeed::Tap::output(std::string_view chunk) {
  for (const auto& follower : feed_.followers_) {
    if (follower->wants(origin_)) follower->output(origin_, chunk);
  }
}

void LogFeed::Tap::refresh() {
  const bool wanted =
      std::ranges::any_of(feed_.followers_, [&](const auto& follower) { return follower->wants(origin_); });
  pump_.set_sink(wanted ? this : nullptr);
}

void LogFeed::add(std::shared_ptr<LogFollower> follower) {
  followers_.push_back(std::move(follower));
  refresh();
}

void LogFeed::remove(const LogFollower* follower) {
  followers_.remove_if([&](const auto& one) { return one.get() == follower; });
  refresh();
}

void LogFeed::refresh() {
  for (Tap* tap : taps_) tap->refresh();
}

}  // namespace clusterd
