#include "daemon/stop_sequence.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "daemon/core/stop_order.h"

namespace clusterd {

StopSequence::StopSequence(boost::asio::io_context& io, Supervisor& supervisor, Waiters& waiters,
                           std::function<void()> then)
    : io_(io), supervisor_(supervisor), waiters_(waiters), then_(std::move(then)) {}

void StopSequence::advance() {
  scheduled_ = false;
  std::vector<App*> apps;
  std::vector<Leaver> leavers;
  for (auto& [key, app] : supervisor_.apps()) {
    const bool told = told_.contains(key);
    const bool lives =
        told ? leaving_.contains(key)
             : std::ranges::any_of(app.instances, [](const Instance& one) { return !has_ended(one.phase); });
    apps.push_back(&app);
    leavers.push_back({&app.spec(), lives, told});
  }
  const std::vector<std::size_t> now = next_to_stop(leavers);
  for (const std::size_t index : now) stop(*apps[index]);
  if (!now.empty()) supervisor_.pump();
  if (leaving_.empty() && then_) boost::asio::post(io_, std::exchange(then_, nullptr));
}

void StopSequence::stop(App& app) {
  told_.insert(app.key);
  leaving_.insert(app.key);
  waiters_.until_gone(
      app, {}, [self = shared_from_this(), key = app.key](const Outcome&) { self->note_gone(key); },
      [](const Progress&) {});
  supervisor_.stop(app, {}, Hurry::graceful);
}

// Many go in one turn of the loop: what follows is decided once.
void StopSequence::note_gone(const AppKey& key) {
  leaving_.erase(key);
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(io_, [self = shared_from_this()] { self->advance(); });
}

}  // namespace clusterd
