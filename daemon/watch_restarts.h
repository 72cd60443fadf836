// WatchRestarts: restarts apps whose files have changed.
//
// Owned by RestartTriggers. Joins what changed (system/tree_watch), what counts (core/watch_filter) and when
// to act (core/watch_pace). Only apps that are wanted up are watched. Reading a tree happens in slices
// between other events; while a rollout of the app runs, changes wait for its end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/home_paths.h"
#include "daemon/core/watch_filter.h"
#include "daemon/core/watch_pace.h"
#include "daemon/fd_watcher.h"
#include "daemon/rollouts.h"
#include "daemon/supervisor.h"
#include "daemon/system/tree_watch.h"

namespace clusterd {

class WatchRestarts {
 public:
  WatchRestarts(boost::asio::io_context& io, Supervisor& supervisor, Rollouts& rollouts, HomePaths home);
  ~WatchRestarts() { stop(); }

  void update(const App& app);
  void forget(const AppKey& app);
  void stop();

  // {"folders", "complete", "fault"}; null: not watched.
  nlohmann::json view(const App& app) const;

 private:
  struct Entry {
    TreeWatch::Owner owner = 0;
    WatchRule rule;
    std::string cwd;
    std::size_t slots = 0;
    std::shared_ptr<const WatchFilter> filter;
    WatchPace pace;
    std::string said;  // the fault that has been logged
  };

  std::shared_ptr<const WatchFilter> filter_of(const App& app) const;
  bool open();
  void scan_later();
  void hear();
  void report_faults();
  void arm();
  void act();
  void restart(App& app, Entry& entry);

  boost::asio::io_context& io_;
  Supervisor& supervisor_;
  Rollouts& rollouts_;
  HomePaths home_;
  std::map<AppKey, Entry> entries_;
  TreeWatch::Owner next_owner_ = 1;
  std::optional<TreeWatch> tree_;
  std::string fault_;  // why there is no tree_
  FdWatcher watcher_;
  boost::asio::steady_timer timer_;
  bool scan_scheduled_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace clusterd
