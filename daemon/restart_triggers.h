// RestartTriggers: what restarts apps unasked: time, changed files, memory.
//
// Owned by Daemon, a listener of the Supervisor. Each of the three looks at the app's settings
// and at whether it is wanted up, so that what is stopped, deleted or changed needs no word of its own. With
// none of the three in use there is no timer and no descriptor.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/cron_restarts.h"
#include "daemon/memory_watch.h"
#include "daemon/watch_restarts.h"

namespace clusterd {

class RestartTriggers final : public SupervisorListener {
 public:
  RestartTriggers(boost::asio::io_context& io, Supervisor& supervisor, Rollouts& rollouts,
                  const ProcessHost& host, const HomePaths& home)
      : cron_(io, supervisor, rollouts),
        watch_(io, supervisor, rollouts, home),
        memory_(io, supervisor, host) {}

  void app_changed(const App& app) override;
  void app_removed(const AppKey& app) override;
  void stop();
  void describe(const App& app, nlohmann::json& view) const;  // adds "cron" and "watch"

 private:
  CronRestarts cron_;
  WatchRestarts watch_;
  MemoryWatch memory_;
};

}  // namespace clusterd
