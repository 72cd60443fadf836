// DependencyGate: starts an app when everything it depends on is ready, and holds it until then.
//
// Used by AppStarter and by resurrect; a listener of the Supervisor. A dependency is ready when
// every instance of it is, or has run to its end. An app that is held is not started and is saved as if it
// were; a start or stop by name ends the waiting. A command waits for depends_timeout at most: what it
// started goes on waiting.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/supervisor.h"
#include "daemon/waiters.h"

namespace clusterd {

class DependencyGate final : public SupervisorListener {
 public:
  DependencyGate(boost::asio::io_context& io, Supervisor& supervisor, Waiters& waiters);

  // An empty list of slots is all. The caller pumps the Supervisor.
  void start(App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress);

  void app_changed(const App& app) override;
  void app_removed(const AppKey& app) override;
  void stop();

 private:
  struct Held {
    std::vector<int> slots;
    DoneHandler done;  // empty: answered
    ProgressHandler progress;
    std::unique_ptr<boost::asio::steady_timer> timer;
  };

  std::string obstacle(const App& app) const;  // what is not ready, as a sentence; empty: nothing
  void begin(App& app, const std::vector<int>& slots, DoneHandler done, ProgressHandler progress);
  void hold(App& app, std::vector<int> slots, const std::string& why, DoneHandler done,
            ProgressHandler progress);
  void give_up(const AppKey& key);
  void look_soon();
  void look();

  boost::asio::io_context& io_;
  Supervisor& supervisor_;
  Waiters& waiters_;
  std::map<AppKey, Held> held_;
  bool look_scheduled_ = false;
};

}  // namespace clusterd
