// Daemon: the parts of a running supervisor, put together, from the lock to the event loop.
//
// Made and run by main. Everything that can go wrong at start-up is a sentence before the loop begins;
// afterwards nothing but an order ends it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "common/home_paths.h"
#include "daemon/daemon_options.h"
#include "daemon/death_log.h"
#include "daemon/operations.h"
#include "daemon/restart_triggers.h"
#include "daemon/server.h"
#include "daemon/system/process_setup.h"
#include "daemon/system/service_notify.h"

namespace clusterd {

class Daemon {
 public:
  Daemon(HomeLock lock, const HomePaths& home, const ProcessSetup& setup, std::string launcher_path,
         std::optional<std::uint64_t> total_log_bytes_max);

  Result<> open();   // the control socket
  void resurrect();  // what `save` wrote; faults go to the log
  void run();        // until `kill` or a signal
  void ready() const { service_.tell("READY=1\nSTATUS=serving"); }

 private:
  void wait_for_signals();
  void handle_signal(int signal);
  void shut_down();
  void feed_watchdog();
  void end();

  boost::asio::io_context io_{1};
  HomeLock lock_;
  HomePaths home_;
  ServiceNotify service_;
  ProcessHost host_;
  Supervisor supervisor_;
  DeathLog deaths_;
  Waiters waiters_;
  Rollouts rollouts_;
  DependencyGate gate_;
  RestartTriggers triggers_;
  Views views_;
  EventFeed events_;
  DaemonContext context_;
  Operations operations_;
  std::unique_ptr<Server> server_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer watchdog_;
  bool ending_ = false;
};

}  // namespace clusterd
