#include "daemon/client_follower.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/clock.h"

namespace clusterd {
namespace {

class ClientFollower final : public LogFollower, public std::enable_shared_from_this<ClientFollower> {
 public:
  ClientFollower(Reply reply, FollowFilter filter) : reply_(std::move(reply)), filter_(std::move(filter)) {}

  bool wants(const LogOrigin& origin) const override {
    if (!reply_->open() || !filter_.streams.contains(origin.stream)) return false;
    return filter_.everything || filter_.ids.contains({origin.app, -1}) ||
           filter_.ids.contains({origin.app, origin.id});
  }

  void output(const LogOrigin& origin, std::string_view text) override {
    const bool taken = tell_dropped() && reply_->offer("log", {{"instance", origin.id},
                                                               {"name", origin.app.name},
                                                               {"namespace", origin.app.name_space},
                                                               {"slot", origin.slot},
                                                               {"stream", stream_name(origin.stream)},
                                                               {"at_ms", wall_now_ms()},
                                                               {"text", text}});
    if (!taken) drop(text);
  }

 private:
  bool tell_dropped() {
    if (dropped_lines_ == 0) return true;
    if (!reply_->offer("dropped", {{"lines", dropped_lines_}})) return false;
    dropped_lines_ = 0;
    return true;
  }

  // Told as soon as there is room: the app may never write again.
  void drop(std::string_view text) {
    dropped_lines_ += std::max<std::ptrdiff_t>(1, std::ranges::count(text, '\n'));
    if (std::exchange(waits_for_room_, true)) return;
    reply_->on_room([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->waits_for_room_ = false;
      self->tell_dropped();
    });
  }

  Reply reply_;
  FollowFilter filter_;
  std::int64_t dropped_lines_ = 0;
  bool waits_for_room_ = false;
};

}  // namespace

void follow(LogFeed& feed, const Reply& reply, FollowFilter filter) {
  auto follower = std::make_shared<ClientFollower>(reply, std::move(filter));
  feed.add(follower);
  reply->on_close([&feed, raw = follower.get()] { feed.remove(raw); });
}

}  // namespace clusterd
