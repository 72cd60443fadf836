// MemoryWatch: replaces instances that use more memory than their app allows.
//
// Owned by RestartTriggers. Looks every kMemoryInterval at the instances of apps with max_memory_restart, and
// not at all where there are none. The replacement is the one of failed health checks: new before old where
// the app can, drained, at most max_surge at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "daemon/core/memory_rule.h"
#include "daemon/process_host.h"
#include "daemon/supervisor.h"

namespace clusterd {

class MemoryWatch {
 public:
  MemoryWatch(boost::asio::io_context& io, Supervisor& supervisor, const ProcessHost& host);

  void update(const App& app);
  void forget(const AppKey& app);
  void stop();

 private:
  void wait();
  void look();
  void look_at(App& app);
  // The memory of an instance that is to be replaced for it.
  std::optional<std::uint64_t> excess(const Instance& instance) const;

  Supervisor& supervisor_;
  const ProcessHost& host_;
  std::set<AppKey> apps_;
  std::map<std::pair<AppKey, int>, MemoryRecord> records_;
  boost::asio::steady_timer timer_;
  bool waiting_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace clusterd
