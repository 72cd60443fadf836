#include "daemon/client_follower.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace clusterd {
namespace {

class ClientFollower final : public LogFollower {
 public:
  ClientFollower(Reply reply, FollowFilter filter) : reply_(std::move(reply)), filter_(std::move(filter)) {}

  bool wants(const AppKey& app, int id, Stream stream) const override {
    if (!reply_->open() || !filter_.streams.contains(stream)) return false;
    return filter_.everything || filter_.ids.contains({app, -1}) || filter_.ids.contains({app, id});
  }

  void output(const AppKey& app, int id, Stream stream, std::string_view text) override {
    if (dropped_lines_ > 0) {
      if (!reply_->offer("dropped", {{"lines", dropped_lines_}})) return drop(text);
      dropped_lines_ = 0;
    }
    const bool taken = reply_->offer(
        "log", {{"instance", id}, {"name", app.name}, {"stream", stream_name(stream)}, {"text", text}});
    if (!taken) drop(text);
  }

 private:
  void drop(std::string_view text) {
    dropped_lines_ += std::max<std::ptrdiff_t>(1, std::ranges::count(text, '\n'));
  }

  Reply reply_;
  FollowFilter filter_;
  std::int64_t dropped_lines_ = 0;
};

}  // namespace

void follow(LogFeed& feed, const Reply& reply, FollowFilter filter) {
  auto follower = std::make_shared<ClientFollower>(reply, std::move(filter));
  feed.add(follower);
  reply->on_close([&feed, raw = follower.get()] { feed.remove(raw); });
}

}  // namespace clusterd
