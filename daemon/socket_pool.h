// SocketPool: listening sockets of servers whose place an app takes, until the app binds their addresses.
//
// Filled by the operation `start`, emptied by ListenerBook at the first bind() of an address. What an app has
// not asked for soon after it has settled is closed: a socket on which nobody will accept lets its clients
// wait for ever. One for the daemon, owned by ProcessHost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "daemon/app.h"
#include "daemon/system/taken_socket.h"

namespace clusterd {

class SocketPool {
 public:
  // `settled`: nothing of the app is on its way up any more, or there is no such app.
  SocketPool(boost::asio::io_context& io, std::function<bool(const AppKey&)> settled);

  void add(const AppKey& app, std::vector<TakenSocket> sockets);
  bool has(const AppKey& app, const ListenAddress& address) const;
  UniqueFd take_out(const AppKey& app, const ListenAddress& address);  // empty: there is none
  void drop(const AppKey& app) { apps_.erase(app); }
  void stop() { timer_.cancel(); }

 private:
  // A program with several addresses binds them one after another; it has at least one tick for that.
  // One that boots slowly is online before it binds the first.
  static constexpr std::chrono::seconds kTick{5};
  static constexpr int kTicksMax = 120;     // of an app that never settles
  static constexpr int kIdleTicksMax = 12;  // of a settled one that has asked for none

  struct Entry {
    std::vector<TakenSocket> sockets;
    bool asked = false;  // for one of them
    int settled = 0;     // ticks
    int ticks = 0;
  };

  void tick_later();
  bool is_over(const AppKey& app, Entry& entry) const;

  boost::asio::steady_timer timer_;
  std::function<bool(const AppKey&)> settled_;
  std::map<AppKey, Entry> apps_;
};

}  // namespace clusterd
