// StopSequence: stops every app, dependents before what they depend on, and tells when all are gone.
//
// Used by Operations when the daemon ends. Lives as long as somebody is on the way out. Who may not be
// signalled keeps nobody waiting longer than a stop by name would.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <set>

#include "daemon/supervisor.h"
#include "daemon/waiters.h"

namespace clusterd {

class StopSequence : public std::enable_shared_from_this<StopSequence> {
 public:
  // `then` is called from the loop.
  StopSequence(boost::asio::io_context& io, Supervisor& supervisor, Waiters& waiters,
               std::function<void()> then);

  void advance();

 private:
  void stop(App& app);
  void note_gone(const AppKey& key);

  boost::asio::io_context& io_;
  Supervisor& supervisor_;
  Waiters& waiters_;
  std::function<void()> then_;
  std::set<AppKey> told_;
  std::set<AppKey> leaving_;  // of those told
  bool scheduled_ = false;
};

}  // namespace clusterd
