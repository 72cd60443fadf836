#include "daemon/log_feed.h"

#include <algorithm>

namespace clusterd {

LogFeed::Tap::Tap(LogFeed& feed, OutputPump& pump, AppKey app, int id, Stream stream)
    : feed_(feed), pump_(pump), app_(std::move(app)), id_(id), stream_(stream) {
  feed_.taps_.insert(this);
  refresh();
}

LogFeed::Tap::~Tap() {
  pump_.set_sink(nullptr);
  feed_.taps_.erase(this);
}

void LogFeed::Tap::output(std::string_view chunk) {
  for (const auto& follower : feed_.followers_) {
    if (follower->wants(app_, id_, stream_)) follower->output(app_, id_, stream_, chunk);
  }
}

void LogFeed::Tap::refresh() {
  const bool wanted = std::ranges::any_of(
      feed_.followers_, [&](const auto& follower) { return follower->wants(app_, id_, stream_); });
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
