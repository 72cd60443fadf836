// DrainWatch: looks at instances that get no new connections until they have none left.
//
// "None" has to be seen twice, because a connection may be between its handshake and the queue. Costs nothing
// while nobody drains. Owned by ProcessHost; what it sees and does goes through `Eyes`. When draining takes
// too long is the Supervisor's business.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>

#include "daemon/core/reconcile.h"

namespace clusterd {

class DrainWatch {
 public:
  enum class Look {
    busy,
    empty,
    over,  // it has ended: nothing to watch any more
  };
  struct Eyes {
    std::function<Look(InstanceKey)> look;
    std::function<void(InstanceKey)> drained;
    std::function<void(InstanceKey)>
        end_silent;  // asked now and then: end the connections on which nothing moves
  };

  DrainWatch(boost::asio::io_context& io, Eyes eyes) : timer_(io), eyes_(std::move(eyes)) {}

  // "None" counts from `settle` on: where handshakes under way cannot be seen, they get that long to end.
  void watch(InstanceKey key, std::chrono::milliseconds settle = std::chrono::milliseconds{0});
  void stop();

 private:
  struct State {
    int looks = 0;
    bool seen_empty = false;
    std::chrono::steady_clock::time_point settled_at{};
  };

  void arm();
  void look_at_all();

  boost::asio::steady_timer timer_;
  Eyes eyes_;
  std::map<InstanceKey, State> watched_;
  bool armed_ = false;
};

}  // namespace clusterd
