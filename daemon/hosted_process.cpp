#include "daemon/hosted_process.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "daemon/launch_environment.h"
#include "daemon/launch_limits.h"
#include "daemon/line_filter.h"
#include "daemon/system/listening_socket.h"
#include "daemon/system/pid_file.h"
#include "daemon/system/pipe.h"
#include "daemon/system/process_identity.h"
#include "daemon/system/spawner.h"
#include "daemon/system/standard_input.h"

namespace clusterd {

HostedProcess::HostedProcess(HostResources& resources, LaunchOrder order)
    : resources_(resources),
      order_(std::move(order)),
      checks_(
          resources.io, order_.spec,
          [this](const Probe& probe, Milliseconds timeout, ProbeDone done) {
            return start_probe(probe, timeout, std::move(done));
          },
          [this](InstanceEvent::Kind kind, const ProbeAnswer& answer) { post_answer(kind, answer); }) {
  paths_ = instance_paths(resources_.home, *order_.spec, order_.slot, order_.id);
  tag_.marker = resources_.token + "-" + std::to_string(order_.key) + "-" + std::to_string(order_.life);
}

HostedProcess::~HostedProcess() {
  // Watchers go before the descriptors they look at.
  channel_watcher_.stop();
  takeover_watcher_.stop();
  notify_watcher_.stop();
  ready_watcher_.stop();
}

Result<pid_t> HostedProcess::launch(const std::optional<ResolvedUser>& user) {
  auto notify = NotifySocket::create("@clusterd/" + tag_.marker);
  if (!notify) return fail(notify.error());
  notify_.emplace(std::move(*notify));

  auto out_end = open_stream(resources_, order_, paths_, Stream::out, out_);
  if (!out_end) return fail(out_end.error());
  auto err_end = open_stream(resources_, order_, paths_, Stream::err, err_);
  if (!err_end) return fail(err_end.error());

  auto launch_plan = plan(user);
  if (!launch_plan) return fail(launch_plan.error());
  launch_plan->out_fd = out_end->get();
  launch_plan->err_fd = err_end->get();
  if (auto opened = open_node_channel(*launch_plan); !opened) return fail(opened.error());
  auto spawned = spawn_launcher(resources_.launcher_path, *launch_plan);
  if (!spawned) return fail(spawned.error());

  tag_.leader = spawned->pid;
  leader_alive_ = true;
  channel_.emplace(std::move(spawned->channel));
  watch_channel();
  if (node_) node_->launched(tag_.leader);
  notify_watcher_ = FdWatcher(resources_.io, notify_->fd(), [this] { read_notifications(); });
  if (ready_pipe_) {
    ready_pipe_->close_write_end();
    ready_watcher_ = FdWatcher(resources_.io, ready_pipe_->fd(), [this] { read_ready_pipe(); });
  }
  if (auto written = write_pid_file(paths_.pid_file, tag_.leader); !written) {
    spdlog::warn("{}: {}", label(), written.error().message);
  }
  return tag_.leader;
}

Result<void> HostedProcess::open_node_channel(LaunchPlan& launch_plan) {
  if (node_role_of(*order_.spec) == NodeRole::none) return {};
  auto node = NodeWorker::create({resources_.io, resources_.listeners, resources_.node_sockets,
                                  [this](InstanceEvent::Kind kind) { post(kind); }},
                                 order_, launch_plan);
  if (!node) return fail(node.error());
  node_ = std::move(*node);
  return {};
}

Result<LaunchPlan> HostedProcess::plan(const std::optional<ResolvedUser>& user) {
  const AppSpec& spec = *order_.spec;
  // The interpreter would only exit, again and again; that the script is missing will not change by trying.
  std::error_code unreadable;
  const bool interpreted = !spec.interpreter.empty() && spec.script.starts_with('/');
  if (interpreted && !std::filesystem::exists(spec.script, unreadable) && !unreadable) {
    return fail(ErrorCode::not_found, spec.script + ": no such file (to be run by " + spec.interpreter + ")");
  }
  LaunchPlan plan;
  plan.argv = launch_arguments(spec);
  plan.cwd = spec.cwd;
  uid_ = user ? user->identity.uid : own_uid();
  if (user) plan.identity = user->identity;
  plan.take_over_bind = spec.exec_mode == ExecMode::cluster;
  add_limits(plan, spec, resources_.limits);
  auto sockets = resources_.listeners.declare(order_.app, order_.key, spec);
  if (!sockets) return fail(sockets.error());
  LaunchFacts facts{tag_.marker, notify_->path(), user ? &*user : nullptr};
  for (const int fd : *sockets) facts.sockets.push_back(local_address(fd).value_or(ListenAddress{}));
  facts.parent = own_pid();
  plan.environment = launch_environment(order_, facts);
  if (spec.ready.kind == Readiness::Kind::fd) {
    auto pipe = ReadyPipe::create();
    if (!pipe) return fail(pipe.error());
    ready_pipe_.emplace(std::move(*pipe));
    plan.passed.push_back({ready_pipe_->write_fd(), "READY_FD"});  // right behind the sockets
  }
  keep_for_probes(plan);
  if (spec.limits.cgroup.any()) {
    auto cgroup = AppCgroup::make(
        label() + "-" + std::to_string(order_.key) + "-" + std::to_string(order_.life), spec.limits.cgroup);
    if (!cgroup) return fail(cgroup.error());
    cgroup_.emplace(std::move(*cgroup));
    plan.cgroups = cgroup_->entrances();
  }
  plan.input = spec.standard_input == StandardInput::pipe;
  plan.watchdog = spec.watchdog;
  plan.sockets = std::move(*sockets);
  plan.announce_sockets = speaks(spec.socket_protocol, SocketProtocol::systemd);
  for (std::size_t i = 0; i < spec.listen.size(); ++i)
    plan.socket_names.push_back(socket_name(spec.listen, i));
  return plan;
}

Result<UniqueFd> HostedProcess::open_stream(HostResources& resources, const LaunchOrder& order,
                                            const InstancePaths& paths, Stream stream,
                                            std::shared_ptr<OutputStream>& slot) {
  const LogOrigin origin{order.app, order.id, order.slot, stream};
  if (UniqueFd direct = open_direct_log(*order.spec, paths, stream)) return direct;
  auto pipe = open_pipe();
  if (!pipe) return fail(pipe.error());
  slot = std::make_shared<OutputStream>(
      resources.io, std::move(pipe->read_end),
      make_log_target({resources.logs, resources.log_keeper, resources.log_services}, *order.spec, paths,
                      origin),
      make_output_filter(order.spec->log, origin));
  slot->start(resources.feed, origin);
  return std::move(pipe->write_end);
}

void HostedProcess::watch_channel() {
  channel_watcher_ = FdWatcher(resources_.io, channel_->fd(), [this] { read_channel(); });
}

void HostedProcess::read_channel() {
  const LaunchChannel::State state = channel_->read();
  if (UniqueFd fd = channel_->take_takeover_fd()) {
    takeover_.emplace(std::move(fd));
    takeover_watcher_ = FdWatcher(resources_.io, takeover_->fd(), [this] { read_takeover(); });
  }
  if (state == LaunchChannel::State::waiting) return;
  channel_watcher_.stop();
  if (state == LaunchChannel::State::failed) {
    failure_ = channel_->failure().sentence;
  } else {
    if (channel_->takeover_error() != 0) {
      spdlog::warn(
          "{}: bind() cannot be taken over here (errno {}); instances share only declared `listen` addresses",
          label(), channel_->takeover_error());
    }
    oom_ = OomCounter::of(tag_.leader);
    post(InstanceEvent::Kind::executed);
  }
  channel_.reset();
}

void HostedProcess::read_takeover() {
  SocketCall call;
  constexpr int kCallsMax = 64;  // a turn; the watcher comes back
  for (int calls = 0; calls < kCallsMax; ++calls) {
    const BindTakeover::Receive received = takeover_->receive(call);
    if (received == BindTakeover::Receive::closed) return takeover_watcher_.stop();
    if (received == BindTakeover::Receive::nothing) return;
    answer(call);
  }
}

void HostedProcess::answer(const SocketCall& call) {
  const bool is_bind = call.kind == SocketCall::Kind::bind;
  const CallVerdict verdict = is_bind
                                  ? resources_.listeners.on_bind(order_.app, order_.key, order_.spec->balance,
                                                                 call, [this] { return tree(); })
                                  : resources_.listeners.on_listen(order_.app, call);
  if (is_bind && call.address) post(InstanceEvent::Kind::binding);
  switch (verdict.kind) {
    case CallVerdict::Kind::pass:
      takeover_->pass(call);
      break;
    case CallVerdict::Kind::succeed:
      takeover_->succeed(call);
      break;
    case CallVerdict::Kind::refuse:
      spdlog::warn("{}: {} refused: {}", label(), is_bind ? "bind" : "listen", verdict.note);
      takeover_->refuse(call, verdict.error);
      return;
    case CallVerdict::Kind::substitute:
      if (auto put = takeover_->substitute(call, verdict.fd); !put) {
        spdlog::warn("{}: {}", label(), put.error().message);
        takeover_->refuse(call, EADDRINUSE);
        return;
      }
      break;
  }
  if (!is_bind) post(InstanceEvent::Kind::listening);
}

// Any local user can reach the socket. The sender may have ended already (systemd-notify does at once), so
// its user has to be enough then.
bool HostedProcess::is_ours(const NotifyMessage& message) const {
  if (message.uid != uid_ && message.uid != own_uid() && message.uid != 0) return false;
  if (message.pid == tag_.leader || !process_exists(message.pid)) return true;
  const std::vector<pid_t> members = tree();
  return std::ranges::find(members, message.pid) != members.end() || session_of(message.pid) == tag_.leader;
}

std::vector<pid_t> HostedProcess::tree() const {
  std::vector<pid_t> pids;
  if (leader_alive_) {
    pids.push_back(tag_.leader);
    const std::vector<pid_t> below = descendants(tag_.leader);
    pids.insert(pids.end(), below.begin(), below.end());
  }
  const std::vector<pid_t> adopted = adopted_of(tag_, resources_.leaders, resources_.children());
  pids.insert(pids.end(), adopted.begin(), adopted.end());
  return pids;
}

// How many got it. One that runs as another user cannot be signalled by an unprivileged daemon: that is said,
// and it is not waited for.
int HostedProcess::signal_all(const std::vector<pid_t>& pids, int signal) {
  int count = 0;
  for (const pid_t pid : pids) {
    if (pid == tag_.leader && !leader_alive_) continue;
    if (auto sent = signal_process(pid, signal); sent) {
      ++count;
    } else {
      spdlog::error("{}: cannot signal pid {}: {}", label(), pid, sent.error().message);
    }
  }
  return count;
}

void HostedProcess::signal_tree(int signal) {
  signal_all(order_.spec->treekill ? tree() : std::vector<pid_t>{tag_.leader}, signal);
}

// A leftover that treekill spares goes on without us: its bind() and listen() fail from now on.
void HostedProcess::close_ears() {
  takeover_watcher_.stop();
  notify_watcher_.stop();
  ready_watcher_.stop();
  takeover_.reset();
  notify_.reset();
  node_.reset();
  ready_pipe_.reset();
}

void HostedProcess::signal() {
  if (std::exchange(signalled_, true)) return;
  const bool told = order_.spec->shutdown_with_message && node_ && node_->ask_to_shut_down();
  stop_signal_ = kill_signal_of(*order_.spec);
  if (!told) signal_tree(stop_signal_);
  if (node_) node_->stopping();
}

void HostedProcess::kill() {
  signalled_ = true;
  killed_ = true;
  killed_alive_ = killed_alive_ || leader_alive_;
  signal_tree(SIGKILL);
  if (!leader_alive_) finish_if_alone();
}

Result<bool> HostedProcess::write_input(std::string_view bytes) const {
  // A leader that has ended but was not reaped yet keeps its pid, so the pid is never somebody else's.
  if (!leader_alive_) return false;
  if (order_.spec->standard_input == StandardInput::null)
    return fail(ErrorCode::conflict,
                "its standard input is /dev/null; `stdin: pipe` (--stdin pipe) gives it one to write to");
  if (auto written = write_standard_input(tag_.leader, bytes); !written) return fail(written.error());
  return true;
}

Result<int> HostedProcess::send(int signal) {
  if (!leader_alive_) return 0;
  if (auto sent = signal_process(tag_.leader, signal); !sent) return fail(sent.error());
  operated_ = signal;
  return 1;
}

void HostedProcess::leader_ended(int wait_status) {
  leader_alive_ = false;
  resources_.listeners.lost(order_.app, order_.key);  // before anything else: somebody may be connecting
  checks_.run(Checks::none);
  exit_ = ExitRecord::from_wait_status(wait_status);
  if (channel_) read_channel();
  remove_pid_file(paths_.pid_file, tag_.leader);
  // A crash leaves nothing behind that could hold its port or write into its files.
  if (!signalled_ || killed_) killed_ = true;
  if (out_) out_->drain_now();
  if (err_) err_->drain_now();
  finish_if_alone();
}

void HostedProcess::orphan_ended() {
  if (!leader_alive_ && !exited_posted_) finish_if_alone();
}

void HostedProcess::finish_if_alone() {
  if (exited_posted_) return;
  std::string leftover;
  if (order_.spec->treekill) {
    const std::vector<pid_t> left = tree();
    if (!left.empty() && (!killed_ || signal_all(left, SIGKILL) > 0)) return;
    if (!left.empty())
      leftover = "pid " + std::to_string(left.front()) + " lives on: it may not be signalled";
  }
  exited_posted_ = true;
  close_ears();
  resources_.listeners.end_life(order_.app, order_.key);
  InstanceEvent event{InstanceEvent::Kind::exited, order_.key, order_.life};
  event.exit = exit_;
  event.failure = failure_;
  event.leftover = std::move(leftover);
  note_end(event);
  resources_.post(std::move(event));
}

// Taken now: a successor that is started at once takes the place of this life.
void HostedProcess::note_end(InstanceEvent& event) const {
  EndFacts facts{exit_, stop_signal_, killed_alive_, operated_, OomCounter::Answer::unknown};
  const bool unknown_kill = exit_.signal == SIGKILL && !killed_alive_;
  if (oom_ && unknown_kill) facts.oom = oom_->look();
  event.ended_by = ended_by(facts);
  event.stop_signal = stop_signal_;
  event.note = origin_of_end(facts);
  if (err_) event.last_error = err_->tail();
  if (out_ && event.last_error.empty()) event.last_output = out_->tail();
}

std::string HostedProcess::tail() const {
  std::string text = err_ ? err_->tail() : "";
  if (text.empty() && out_) text = out_->tail();
  return text;
}

}  // namespace clusterd
