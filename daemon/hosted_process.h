// HostedProcess: one life of an instance as the system sees it, from the launcher to the last orphan.
//
// Owned by ProcessHost. Reports started, executed, listening, notified_ready and exited through `post`; it
// decides nothing. `exited` comes when the leader has been reaped and, unless treekill is off, nothing it had
// started is left: a crash sweeps its leftovers at once, an ordered stop lets them use their grace.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "daemon/fd_watcher.h"
#include "daemon/instance_checks.h"
#include "daemon/listener_book.h"
#include "daemon/log_targets.h"
#include "daemon/node_worker.h"
#include "daemon/output_stream.h"
#include "daemon/supervisor.h"
#include "daemon/system/app_cgroup.h"
#include "daemon/system/launch_channel.h"
#include "daemon/system/log_hub.h"
#include "daemon/system/log_socket.h"
#include "daemon/system/notify_socket.h"
#include "daemon/system/oom_counter.h"
#include "daemon/system/process_setup.h"
#include "daemon/system/process_tree.h"
#include "daemon/system/ready_pipe.h"
#include "daemon/system/users.h"

namespace clusterd {

// What all processes of the daemon share; outlives them.
struct HostResources {
  boost::asio::io_context& io;
  ListenerBook& listeners;
  NodeSockets& node_sockets;
  LogHub& logs;
  LogKeeper& log_keeper;
  const LogServices& log_services;
  LogFeed& feed;
  HomePaths home;
  std::string launcher_path;
  std::string
      token;  // unguessable, once a daemon: begins the names of notify sockets and the marks of processes
  ProcessSetup limits;  // what the daemon had before it changed its own
  std::function<void(InstanceEvent)> post;
  const std::unordered_set<pid_t>& leaders;
  ProbeChildren& probe_children;
  std::function<const std::vector<pid_t>&()> children;  // of the daemon, as of this turn of the loop
};

class HostedProcess {
 public:
  HostedProcess(HostResources& resources, LaunchOrder order);
  ~HostedProcess();
  HostedProcess(const HostedProcess&) = delete;
  HostedProcess& operator=(const HostedProcess&) = delete;

  // The process exists afterwards, or the error says why not; what becomes of it is posted.
  Result<pid_t> launch(const std::optional<ResolvedUser>& user);

  void signal();                 // stop signal to the whole tree, once
  void kill();                   // SIGKILL to the whole tree; repeated when an orphan ends
  Result<int> send(int signal);  // the operator's signal, to the leader
  Result<bool> write_input(std::string_view bytes) const;  // whole, or not at all; false: it does not run
  NodeWorker* node() const { return node_.get(); }         // null: not a Node program

  void run_checks(Checks checks) { checks_.run(checks); }

  void leader_ended(int wait_status);
  void orphan_ended();  // some orphan was reaped: it may have been the last of ours
  bool leader_alive() const { return leader_alive_; }
  bool gone() const { return exited_posted_; }

  // A pipe whose output goes into the log at `path`; returns the end to write into.
  static Result<UniqueFd> open_stream(HostResources& resources, const LaunchOrder& order,
                                      const InstancePaths& paths, Stream stream,
                                      std::shared_ptr<OutputStream>& slot);

  const LaunchOrder& order() const { return order_; }
  std::vector<pid_t> tree() const;  // every living process of this life
  std::string tail() const;
  std::shared_ptr<OutputStream> out() const { return out_; }
  std::shared_ptr<OutputStream> err() const { return err_; }

 private:
  Result<void> open_node_channel(LaunchPlan& launch_plan);
  Result<LaunchPlan> plan(const std::optional<ResolvedUser>& user);
  void watch_channel();
  void read_channel();
  void read_takeover();
  void answer(const SocketCall& call);
  void read_notifications();
  void read_ready_pipe();
  void keep_for_probes(const LaunchPlan& plan);
  void hear(const NotifyMessage& message);
  Notice notice_of(const NotifyMessage& message) const;
  std::unique_ptr<ProbeRun> start_probe(const Probe& probe, Milliseconds timeout, ProbeDone done);
  std::unique_ptr<ProbeRun> start_command(const std::vector<std::string>& argv, Milliseconds timeout,
                                          ProbeDone done);
  std::optional<ListenAddress> served_address() const;
  void post_answer(InstanceEvent::Kind kind, const ProbeAnswer& answer);
  bool is_ours(const NotifyMessage& message) const;
  int signal_all(const std::vector<pid_t>& pids, int signal);
  void signal_tree(int signal);
  void close_ears();
  void finish_if_alone();
  void note_end(InstanceEvent& event) const;
  void post(InstanceEvent::Kind kind) { resources_.post({kind, order_.key, order_.life}); }
  std::string label() const { return order_.app.name + "." + std::to_string(order_.slot); }

  HostResources& resources_;
  LaunchOrder order_;
  ProcessTag tag_;
  InstancePaths paths_;
  uid_t uid_ = 0;
  bool leader_alive_ = false;
  bool signalled_ = false;
  int stop_signal_ = 0;  // 0: not told to stop
  bool killed_ = false;
  bool killed_alive_ = false;  // ... while the leader lived
  int operated_ = 0;           // the operator's last signal
  bool exited_posted_ = false;
  ExitRecord exit_;
  std::string failure_;
  std::optional<OomCounter> oom_;

  LaunchPlan probe_plan_;  // of exec probes: what the app has, without its sockets
  InstanceChecks checks_;

  std::optional<AppCgroup> cgroup_;
  std::optional<LaunchChannel> channel_;
  std::optional<BindTakeover> takeover_;
  std::optional<NotifySocket> notify_;
  std::unique_ptr<NodeWorker> node_;
  FdWatcher channel_watcher_;
  FdWatcher takeover_watcher_;
  FdWatcher notify_watcher_;
  std::optional<ReadyPipe> ready_pipe_;
  FdWatcher ready_watcher_;
  std::shared_ptr<OutputStream> out_;
  std::shared_ptr<OutputStream> err_;
};

}  // namespace clusterd
