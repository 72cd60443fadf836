// InstanceChecks: what the daemon asks one life of an instance: its readiness probe until that passes, then
// its health check at its pace and its watchdog.
//
// Owned by HostedProcess, so it ends with the process. Decides nothing: each answer is posted as an event
// (probed, checked, watchdog_missed), and what follows is the Supervisor's. One probe at a time; the pause
// comes after the answer, so a slow one is never overtaken.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "daemon/instance_host.h"
#include "daemon/probe_run.h"
#include "daemon/supervisor.h"

namespace clusterd {

class InstanceChecks {
 public:
  // Starts one probe; called anew for each, because the address may be known only later.
  using Start = std::function<std::unique_ptr<ProbeRun>(const Probe&, Milliseconds timeout, ProbeDone)>;

  InstanceChecks(boost::asio::io_context& io, std::shared_ptr<const AppSpec> spec, Start start,
                 std::function<void(InstanceEvent::Kind, const ProbeAnswer&)> post);

  void run(Checks checks);
  void feed_watchdog();                      // WATCHDOG=1
  void set_watchdog(Milliseconds interval);  // WATCHDOG_USEC; 0: off

 private:
  // fn is called unless the timer is armed anew or all this is gone before.
  void after(boost::asio::steady_timer& timer, std::uint64_t& turn, Milliseconds delay,
             std::function<void()> fn);
  void ask();
  void answered(const ProbeAnswer& answer);
  void wait_for_watchdog();

  std::shared_ptr<const AppSpec> spec_;
  Readiness readiness_;
  Start start_;
  std::function<void(InstanceEvent::Kind, const ProbeAnswer&)> post_;
  Checks checks_ = Checks::none;
  std::unique_ptr<ProbeRun> run_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  boost::asio::steady_timer pause_;
  std::uint64_t pause_turn_ = 0;
  bool passed_once_ = false;
  Milliseconds watchdog_{0};  // 0: none
  boost::asio::steady_timer watchdog_timer_;
  std::uint64_t watchdog_turn_ = 0;
};

}  // namespace clusterd
