#include "daemon/socket_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace clusterd {

SocketPool::SocketPool(boost::asio::io_context& io, std::function<bool(const AppKey&)> settled)
    : timer_(io), settled_(std::move(settled)) {}

void SocketPool::add(const AppKey& app, std::vector<TakenSocket> sockets) {
  const bool ticks = !apps_.empty();
  if (!sockets.empty()) apps_[app].sockets = std::move(sockets);
  if (!ticks && !apps_.empty()) tick_later();
}

bool SocketPool::has(const AppKey& app, const ListenAddress& address) const {
  const auto entry = apps_.find(app);
  return entry != apps_.end() && std::ranges::find(entry->second.sockets, address, &TakenSocket::address) !=
                                     entry->second.sockets.end();
}

UniqueFd SocketPool::take_out(const AppKey& app, const ListenAddress& address) {
  if (!has(app, address)) return {};
  auto& sockets = apps_[app].sockets;
  apps_[app].asked = true;
  const auto found = std::ranges::find(sockets, address, &TakenSocket::address);
  UniqueFd fd = std::move(found->fd);
  sockets.erase(found);
  return fd;
}

void SocketPool::tick_later() {
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    for (auto one = apps_.begin(); one != apps_.end();)
      one = is_over(one->first, one->second) ? apps_.erase(one) : std::next(one);
    if (!apps_.empty()) tick_later();
  });
}

bool SocketPool::is_over(const AppKey& app, Entry& entry) const {
  if (entry.sockets.empty() || ++entry.ticks > kTicksMax) return true;
  entry.settled = settled_(app) ? entry.settled + 1 : 0;
  return entry.settled >= (entry.asked ? 2 : kIdleTicksMax);
}

}  // namespace clusterd
