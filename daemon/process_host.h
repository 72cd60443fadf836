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

#include "daemon/balancing.h"
#include "daemon/drain_watch.h"
#include "daemon/hook_run.h"
#include "daemon/hosted_process.h"
#include "daemon/instance_host.h"
#include "daemon/launch_queue.h"
#include "daemon/program_book.h"

namespace clusterd {

struct HostSettings {
  HomePaths home;
  std::string launcher_path;
  ProcessSetup setup;
  std::optional<std::uint64_t> total_log_bytes_max;
};

class ProcessHost final : public InstanceHost {
 public:
  ProcessHost(boost::asio::io_context& io, HostSettings settings);
  void attach(Supervisor& supervisor);
  void close();  // every app is gone: let the event loop end

  void launch(const LaunchOrder& order) override;
  void admit(InstanceKey key) override;
  void set_share(InstanceKey key, int permille) override;
  void steer_away(InstanceKey key, bool app_stays) override;
  void signal(InstanceKey key) override;
  void kill(InstanceKey key) override;
  void arm(InstanceKey key, std::uint64_t timer, Milliseconds delay) override;
  void run_checks(InstanceKey key, Checks checks) override;
  void release(InstanceKey key) override;
  Instant now() const override;
  bool drains(InstanceKey key) const override;
  std::int64_t open_connections(InstanceKey key) const override;

  Result<int> send_signal(InstanceKey key, int signal);  // number of processes that got it
  Result<bool> write_input(InstanceKey key,
                           std::string_view bytes);  // whole, or not at all; false: it does not run
  std::string tail(InstanceKey key) const;           // last output of the present or last life
  ListenerBook& listeners() { return listeners_; }
  SocketPool& socket_pool() { return socket_pool_; }
  Balancing& balancing() { return balancing_; }
  LaneLoad load_of(InstanceKey key) const;
  std::vector<pid_t> tree_of(InstanceKey key) const;  // its living processes
  // Closes the listening sockets that nothing of the app needs any more; asked after every batch of events.
  void tidy_listeners(const App& app);
  void close_listeners(const AppKey& app);  // all of them
  LogFeed& feed() { return feed_; }
  LogHub& logs() { return logs_; }
  const LogKeeper& log_keeper() const { return keeper_; }
  ProgramBook& programs() { return programs_; }
  // Checked when an app is applied, so that a wrong user is an error of the command; cached.
  Result<ResolvedUser> user_of(const AppSpec& spec);

 private:
  struct Seat {
    explicit Seat(boost::asio::io_context& io) : timer(io) {}
    AppKey app;
    std::unique_ptr<HostedProcess> process;
    std::unique_ptr<HookRun> before;  // pre_start, or pre_stop: something waits for its end
    std::unique_ptr<HookRun> after;   // post_start, or post_stop
    std::uint64_t told_to_stop = 0;   // the life whose pre_stop has been started
    boost::asio::steady_timer timer;
  };

  bool runs_hook(const AppSpec& spec, HookRun::Moment moment) const {
    return !HookRun::command(spec, moment).empty();
  }
  std::unique_ptr<HookRun> start_hook(const LaunchOrder& order, HookRun::Moment moment,
                                      std::vector<std::string> variables, HookRun::Done done);
  void end_hook(std::unique_ptr<HookRun>& hook);
  bool launch_after_hook(const LaunchOrder& order);
  bool abandon_launch(InstanceKey key);
  bool signal_after_hook(InstanceKey key);
  bool exit_after_hook(const InstanceEvent& event);
  void run_post_start(InstanceKey key);
  void launch_now(const LaunchOrder& order);
  void post_now(InstanceEvent event);
  void linger(const std::shared_ptr<OutputStream>& stream);

  Seat& seat(InstanceKey key);
  void post(InstanceEvent event);
  void schedule_pump();
  void wait_for_children();
  const std::vector<pid_t>& children_now();
  void reap();
  void retire_process(std::unique_ptr<HostedProcess> process);
  void start_next();
  void start(const LaunchOrder& order);
  bool give_up_waiting(InstanceKey key);
  void fail_launch(const LaunchOrder& order, const Error& error);
  const HostedProcess* process_of(InstanceKey key) const;
  DrainWatch::Look look_at_drain(InstanceKey key);
  void report_drained(InstanceKey key);
  void end_silent(InstanceKey key);
  void report_repair(const AppKey& app, const Repair& repair) const;
  void settle_listeners_soon();
  bool is_settled(const AppKey& key) const;

  boost::asio::io_context& io_;
  Supervisor* supervisor_ = nullptr;
  bool pump_scheduled_ = false;
  bool closed_ = false;
  boost::asio::signal_set child_signals_;
  Balancing balancing_;
  SocketPool socket_pool_;
  ListenerBook listeners_;
  boost::asio::steady_timer settling_;
  bool settles_ = false;
  FdWatcher guard_watcher_;
  DrainWatch drains_;
  NodeSockets node_sockets_;
  LaunchQueue launches_;
  ProgramBook programs_;
  LogHub logs_;
  LogServices log_services_;
  LogKeeper keeper_;
  LogFeed feed_;
  std::unordered_set<pid_t> leaders_;
  ProbeChildren probe_children_;
  HostResources resources_;
  std::unordered_map<InstanceKey, Seat> seats_;
  std::unordered_map<pid_t, InstanceKey> by_pid_;
  std::optional<std::vector<pid_t>> children_;  // of the daemon, until the end of this turn of the loop
  // Streams whose process has gone and whose pipe has not ended yet.
  std::unordered_set<std::shared_ptr<OutputStream>> lingering_;
  std::map<std::string, ResolvedUser> users_;
};

}  // namespace clusterd
