// ProcessHost: the InstanceHost of the real system. Owns the processes, their sockets, output streams and
// timers.
//
// Performs the Supervisor's orders and posts what comes of them; the only place that reaps. Used by the
// daemon's main alone, plus views (statistics, listeners) and the log operations (feed, tails).
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "daemon/hosted_process.h"
#include "daemon/instance_host.h"

namespace clusterd {

struct HostSettings {
  HomePaths home;
  std::string launcher_path;
  std::optional<rlim_t> nofile_soft;
};

class ProcessHost final : public InstanceHost {
 public:
  ProcessHost(boost::asio::io_context& io, HostSettings settings);
  void attach(Supervisor& supervisor);
  void close();  // every app is gone: let the event loop end

  void launch(const LaunchOrder& order) override;
  void steer_away(InstanceKey key) override;
  void signal(InstanceKey key) override;
  void kill(InstanceKey key) override;
  void arm(InstanceKey key, std::uint64_t timer, Milliseconds delay) override;
  void run_checks(InstanceKey key, Checks checks) override;
  void release(InstanceKey key) override;
  Instant now() const override;

  Result<int> send_signal(InstanceKey key, int signal);  // number of processes that got it
  std::string tail(InstanceKey key) const;               // last output of the present or last life
  ListenerBook& listeners() { return listeners_; }
  // Closes the listening sockets that nothing of the app needs any more; asked after every batch of events.
  void tidy_listeners(const App& app);
  LogFeed& feed() { return feed_; }
  LogHub& logs() { return logs_; }
  // Checked when an app is applied, so that a wrong user is an error of the command; cached.
  Result<ResolvedUser> user_of(const AppSpec& spec);

 private:
  struct Seat {
    explicit Seat(boost::asio::io_context& io) : timer(io) {}
    std::unique_ptr<HostedProcess> process;
    boost::asio::steady_timer timer;
  };

  Seat& seat(InstanceKey key);
  void post(InstanceEvent event);
  void schedule_pump();
  void wait_for_children();
  void reap();
  void retire_process(std::unique_ptr<HostedProcess> process);
  void fail_launch(const LaunchOrder& order, const Error& error);

  boost::asio::io_context& io_;
  Supervisor* supervisor_ = nullptr;
  bool pump_scheduled_ = false;
  bool closed_ = false;
  boost::asio::signal_set child_signals_;
  ListenerBook listeners_;
  LogHub logs_;
  LogFeed feed_;
  std::unordered_set<pid_t> leaders_;
  ProbeChildren probe_children_;
  HostResources resources_;
  std::unordered_map<InstanceKey, Seat> seats_;
  std::unordered_map<pid_t, InstanceKey> by_pid_;
  // Streams whose process has gone and whose pipe has not ended yet.
  std::unordered_set<std::shared_ptr<OutputStream>> lingering_;
  std::map<std::string, ResolvedUser> users_;
};

}  // namespace clusterd
