#include "daemon/process_host.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>

#include "daemon/clock.h"
#include "daemon/system/connection_table.h"
#include "daemon/system/random_token.h"
#include "daemon/system/reaper.h"
#include "daemon/system/usable_cpus.h"

namespace clusterd {

namespace {

constexpr int kNotExecuted = 127;  // what shells and clusterd-exec exit with for the same reason

// A handshake that began before the lane was disabled ends in it. Where none can be seen, all but the slowest
// networks and one lost packet (Linux repeats a SYN-ACK after 1 s) are given time.
constexpr Milliseconds kUnseenHandshakes{250};

}  // namespace

ProcessHost::ProcessHost(boost::asio::io_context& io, HostSettings settings)
    : io_(io),
      child_signals_(io, SIGCHLD),
      balancing_(settings.launcher_path),
      socket_pool_(io, [this](const AppKey& app) { return is_settled(app); }),
      listeners_(
          balancing_, [this] { settle_listeners_soon(); }, &socket_pool_),
      settling_(io),
      drains_(io, {[this](InstanceKey key) { return look_at_drain(key); },
                   [this](InstanceKey key) { report_drained(key); },
                   [this](InstanceKey key) { end_silent(key); }}),
      launches_(launches_at_once(usable_cpus().count)),
      programs_(io),
      logs_([](const std::string& sentence) { spdlog::warn("{}", sentence); }),
      log_services_(
          LogServices::from_environment([](const std::string& sentence) { spdlog::warn("{}", sentence); })),
      keeper_(io, logs_, {settings.home.logs, settings.total_log_bytes_max}),
      resources_{io,
                 listeners_,
                 node_sockets_,
                 logs_,
                 keeper_,
                 log_services_,
                 feed_,
                 std::move(settings.home),
                 std::move(settings.launcher_path),
                 random_token(),
                 settings.setup,
                 [this](InstanceEvent event) { post(std::move(event)); },
                 leaders_,
                 probe_children_,
                 [this]() -> const std::vector<pid_t>& { return children_now(); }} {
  const auto found = [this](const AppKey& app, const Repair& repair) { report_repair(app, repair); };
  guard_watcher_ = FdWatcher(io_, balancing_.guard().fd(), [this, found] { listeners_.repair(found); });
  wait_for_children();
}

void ProcessHost::settle_listeners_soon() {
  if (std::exchange(settles_, true)) return;
  settling_.expires_after(LaneGroup::kSettlingTick);
  settling_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    settles_ = false;
    listeners_.settle();
  });
}

bool ProcessHost::is_settled(const AppKey& key) const {
  const App* app = supervisor_ == nullptr ? nullptr : supervisor_->find(key);
  if (app == nullptr) return true;
  return !app->rollout && std::ranges::all_of(app->instances, [](const Instance& one) {
    return one.phase == Phase::online || has_ended(one.phase);
  });
}

void ProcessHost::attach(Supervisor& supervisor) { supervisor_ = &supervisor; }

void ProcessHost::tidy_listeners(const App& app) {
  const bool all_ended =
      std::ranges::all_of(app.instances, [](const Instance& one) { return has_ended(one.phase); });
  // Errored or finished: nobody will accept, so clients are refused instead of queued for ever.
  if (all_ended && (!is_wanted_up(app) || !app.instances.empty())) return close_listeners(app.key);
  const bool settled = std::ranges::all_of(app.instances, [&](const Instance& one) {
    const auto slot = static_cast<std::size_t>(one.slot);
    return one.phase == Phase::online && slot < app.wanted.slots.size() &&
           one.generation == app.wanted.slots[slot].generation;
  });
  if (!settled || app.rollout) return;
  node_sockets_.close_unused(app.key);
  listeners_.rebalance(app.key, app.spec().balance);
  listeners_.close_unused(app.key, app.spec().listen);
}

void ProcessHost::close_listeners(const AppKey& app) {
  node_sockets_.close_app(app);
  listeners_.close_app(app);
}

void ProcessHost::close() {
  closed_ = true;
  guard_watcher_.stop();
  socket_pool_.stop();
  drains_.stop();
  keeper_.stop();
  child_signals_.cancel();
  settling_.cancel();
  for (const auto& stream : lingering_) stream->drain_now();
  lingering_.clear();
  seats_.clear();
}

void ProcessHost::post(InstanceEvent event) {
  using Kind = InstanceEvent::Kind;
  if (event.kind == Kind::executed || event.kind == Kind::exited) launches_.settled(event.key);
  if (event.kind == Kind::exited && exit_after_hook(event)) return;
  post_now(std::move(event));
}

void ProcessHost::post_now(InstanceEvent event) {
  supervisor_->post(std::move(event));
  schedule_pump();
}

// Events of one loop turn are handled in one batch.
void ProcessHost::schedule_pump() {
  if (std::exchange(pump_scheduled_, true)) return;
  boost::asio::post(io_, [this] {
    pump_scheduled_ = false;
    supervisor_->pump();
    start_next();
  });
}

ProcessHost::Seat& ProcessHost::seat(InstanceKey key) { return seats_.try_emplace(key, io_).first->second; }

Result<ResolvedUser> ProcessHost::user_of(const AppSpec& spec) {
  const std::string cache_key = spec.uid + ":" + spec.gid;
  if (const auto known = users_.find(cache_key); known != users_.end()) return known->second;
  auto resolved = resolve_user(spec.uid, spec.gid);
  if (resolved) users_[cache_key] = *resolved;
  return resolved;
}

void ProcessHost::launch(const LaunchOrder& order) {
  seat(order.key).app = order.app;
  if (!launch_after_hook(order)) launch_now(order);
}

void ProcessHost::launch_now(const LaunchOrder& order) {
  Seat& place = seat(order.key);
  if (place.process) retire_process(std::move(place.process));
  launches_.add(order);
  start_next();
}

void ProcessHost::start_next() {
  while (const auto order = launches_.next()) start(*order);
}

void ProcessHost::start(const LaunchOrder& order) {
  std::optional<ResolvedUser> user;
  if (!order.spec->uid.empty() || !order.spec->gid.empty()) {
    auto resolved = user_of(*order.spec);
    if (!resolved) return fail_launch(order, resolved.error());
    user = std::move(*resolved);
  }
  programs_.launched(order.app, order.key, *order.spec);
  auto process = std::make_unique<HostedProcess>(resources_, order);
  auto pid = process->launch(user);
  if (!pid) {
    listeners_.lost(order.app, order.key);
    listeners_.end_life(order.app, order.key);
    return fail_launch(order, pid.error());
  }
  leaders_.insert(*pid);
  by_pid_[*pid] = order.key;
  seat(order.key).process = std::move(process);
  InstanceEvent event{InstanceEvent::Kind::started, order.key, order.life};
  event.pid = *pid;
  post(std::move(event));
}

// No process came of it: out of descriptors, an address that is not there yet. What can never work (a missing
// script) has a code of its own.
void ProcessHost::fail_launch(const LaunchOrder& order, const Error& error) {
  InstanceEvent event{InstanceEvent::Kind::exited, order.key, order.life};
  event.failure = error.message;
  event.may_pass = error.code == ErrorCode::failed || error.code == ErrorCode::config;
  event.exit.code = kNotExecuted;
  post(std::move(event));
}

void ProcessHost::admit(InstanceKey key) {
  const HostedProcess* process = process_of(key);
  if (process == nullptr) return;
  const AppKey& app = process->order().app;
  listeners_.admit(app, key);
  listeners_.inspect(app, [this](const AppKey& of, const Repair& repair) { report_repair(of, repair); });
  run_post_start(key);
}

void ProcessHost::set_share(InstanceKey key, int permille) {
  if (const HostedProcess* process = process_of(key))
    listeners_.set_share(process->order().app, key, static_cast<unsigned>(permille));
}

void ProcessHost::report_repair(const AppKey& app, const Repair& repair) const {
  const HostedProcess* process = repair.owner ? process_of(*repair.owner) : nullptr;
  const std::string who = process == nullptr ? "an instance of " + app.name
                                             : app.name + "." + std::to_string(process->order().slot);
  spdlog::warn("{} {}", who, repair.what);
}

// With one socket shared by all, the stop signal is what makes an old instance stop accepting.
void ProcessHost::steer_away(InstanceKey key, bool app_stays) {
  if (!drains(key)) return signal(key);
  const AppKey& app = process_of(key)->order().app;
  listeners_.withdraw(app, key, app_stays);
  drains_.watch(key, listeners_.load_of(app, key).counted ? Milliseconds{0} : kUnseenHandshakes);
}

const HostedProcess* ProcessHost::process_of(InstanceKey key) const {
  const auto place = seats_.find(key);
  return place == seats_.end() ? nullptr : place->second.process.get();
}

bool ProcessHost::drains(InstanceKey key) const {
  const HostedProcess* process = process_of(key);
  return process != nullptr && listeners_.steers(process->order().app, key);
}

LaneLoad ProcessHost::load_of(InstanceKey key) const {
  const HostedProcess* process = process_of(key);
  if (process == nullptr) return {};
  LaneLoad load = listeners_.load_of(process->order().app, key);
  if (!load.open) load.open = count_connections(process->tree(), listeners_.ports(process->order().app));
  return load;
}

std::vector<pid_t> ProcessHost::tree_of(InstanceKey key) const {
  const HostedProcess* process = process_of(key);
  return process == nullptr ? std::vector<pid_t>{} : process->tree();
}

std::int64_t ProcessHost::open_connections(InstanceKey key) const { return load_of(key).connections(); }

DrainWatch::Look ProcessHost::look_at_drain(InstanceKey key) {
  const HostedProcess* process = process_of(key);
  if (process == nullptr || !process->leader_alive()) return DrainWatch::Look::over;
  return load_of(key).drained() ? DrainWatch::Look::empty : DrainWatch::Look::busy;
}

void ProcessHost::report_drained(InstanceKey key) {
  if (const HostedProcess* process = process_of(key))
    post({InstanceEvent::Kind::drained, key, process->order().life});
}

void ProcessHost::end_silent(InstanceKey key) {
  const HostedProcess* process = process_of(key);
  if (process == nullptr || process->order().spec->drain_idle == Milliseconds{0}) return;
  end_silent_connections(process->tree(), listeners_.ports(process->order().app),
                         process->order().spec->drain_idle);
}

// It is to end and has not even begun.
bool ProcessHost::give_up_waiting(InstanceKey key) {
  const auto order = launches_.withdraw(key);
  if (order) post({InstanceEvent::Kind::exited, key, order->life});
  return order.has_value();
}

void ProcessHost::signal(InstanceKey key) {
  if (give_up_waiting(key) || abandon_launch(key) || signal_after_hook(key)) return;
  if (HostedProcess* process = seat(key).process.get()) process->signal();
}

void ProcessHost::kill(InstanceKey key) {
  if (give_up_waiting(key) || abandon_launch(key)) return;
  launches_.settled(key);  // one that not even this ends must not hold up the others
  end_hook(seat(key).before);
  if (HostedProcess* process = seat(key).process.get()) process->kill();
}

Result<int> ProcessHost::send_signal(InstanceKey key, int signal) {
  HostedProcess* process = seat(key).process.get();
  return process == nullptr ? Result<int>(0) : process->send(signal);
}

void ProcessHost::arm(InstanceKey key, std::uint64_t timer, Milliseconds delay) {
  Seat& place = seat(key);
  place.timer.expires_after(delay);
  place.timer.async_wait([this, key, timer](const boost::system::error_code& error) {
    // While post_stop runs there is no process any more: nothing is late but the news of its end.
    const Seat& waiting = seat(key);
    const bool over = waiting.after && waiting.after->moment() == HookRun::Moment::post_stop;
    if (!error && !over) post({InstanceEvent::Kind::expired, key, timer});
  });
}

void ProcessHost::run_checks(InstanceKey key, Checks checks) {
  if (HostedProcess* process = seat(key).process.get()) process->run_checks(checks);
}

void ProcessHost::release(InstanceKey key) {
  const auto place = seats_.find(key);
  if (place == seats_.end()) return;
  launches_.withdraw(key);
  programs_.forget(key);
  listeners_.forget(place->second.app, key);
  if (place->second.process) retire_process(std::move(place->second.process));
  end_hook(place->second.before);
  end_hook(place->second.after);
  seats_.erase(place);
}

// The process is over; its output may not be.
void ProcessHost::retire_process(std::unique_ptr<HostedProcess> process) {
  for (const auto& stream : {process->out(), process->err()}) linger(stream);
}

void ProcessHost::linger(const std::shared_ptr<OutputStream>& stream) {
  if (!stream || stream->ended()) return;
  lingering_.insert(stream);
  stream->on_end([this, stream = stream.get()] {
    std::erase_if(lingering_, [&](const auto& one) { return one.get() == stream; });
  });
}

Instant ProcessHost::now() const { return {monotonic_now(), wall_now_ms()}; }

Result<bool> ProcessHost::write_input(InstanceKey key, std::string_view bytes) {
  const HostedProcess* process = seat(key).process.get();
  return process == nullptr ? Result<bool>(false) : process->write_input(bytes);
}

std::string ProcessHost::tail(InstanceKey key) const {
  const auto place = seats_.find(key);
  return place == seats_.end() || !place->second.process ? "" : place->second.process->tail();
}

void ProcessHost::wait_for_children() {
  child_signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error || closed_) return;
    reap();
    wait_for_children();
  });
}

// One look for all who ask in one turn of the loop: when thousands end, thousands ask.
const std::vector<pid_t>& ProcessHost::children_now() {
  if (!children_) {
    children_ = own_children();
    boost::asio::post(io_, [this] { children_.reset(); });
  }
  return *children_;
}

void ProcessHost::reap() {
  bool orphans = false;
  const std::vector<Reaped> ended = reap_children();
  children_.reset();  // what they left behind has become ours by now
  for (const Reaped& reaped : ended) {
    if (auto probe = probe_children_.extract(reaped.pid); !probe.empty()) {
      probe.mapped()(reaped.wait_status);
      continue;
    }
    const auto known = by_pid_.find(reaped.pid);
    if (known == by_pid_.end()) {
      orphans = true;
      continue;
    }
    const InstanceKey key = known->second;
    by_pid_.erase(known);
    leaders_.erase(reaped.pid);
    if (HostedProcess* process = seat(key).process.get()) process->leader_ended(reaped.wait_status);
  }
  if (!orphans) return;
  for (auto& [key, place] : seats_) {
    if (place.process) place.process->orphan_ended();
  }
}

}  // namespace clusterd
