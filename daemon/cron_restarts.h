// CronRestarts: restarts apps at the times their cron patterns name.
//
// Owned by RestartTriggers. One timer for all apps, set to the next time of any of them, none if there is no
// pattern. Only apps that are wanted up have a schedule, so a stopped or deleted one is never revived; a
// schedule belongs to the app and its pattern, whatever its instances do meanwhile.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "daemon/core/cron_schedule.h"
#include "daemon/fd_watcher.h"
#include "daemon/rollouts.h"
#include "daemon/supervisor.h"
#include "daemon/system/time_zone.h"
#include "daemon/system/wall_timer.h"

namespace clusterd {

class CronRestarts {
 public:
  CronRestarts(boost::asio::io_context& io, Supervisor& supervisor, Rollouts& rollouts);

  void update(const App& app);  // it may have come, changed, been stopped
  void forget(const AppKey& app);
  void stop();

  // {"pattern", "time_zone", "next": the next five times}; null: no schedule.
  nlohmann::json view(const App& app) const;

 private:
  struct Entry {
    CronRule rule;
    std::string zone_name;
    std::shared_ptr<const TimeZone> zone;
    CronSchedule schedule;
  };

  void wake();
  void fire(App& app, const Entry& entry);
  void arm();

  boost::asio::io_context& io_;
  Supervisor& supervisor_;
  Rollouts& rollouts_;
  std::map<AppKey, Entry> entries_;
  std::optional<WallTimer> timer_;
  FdWatcher watcher_;
};

}  // namespace clusterd
