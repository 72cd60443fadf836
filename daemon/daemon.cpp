#include "daemon/daemon.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <nlohmann/json.hpp>

namespace clusterd {

namespace {

constexpr std::chrono::milliseconds kLastAnswersTime{1'000};

// An answer nobody waits for; faults are worth a line in the log.
class LoggedConversation final : public Conversation {
 public:
  void event(std::string_view, nlohmann::json) override {}
  void succeed(nlohmann::json) override { spdlog::info("every saved app is up"); }
  void fail_with(const Error& error, nlohmann::json) override {
    spdlog::error("resurrect: {}", error.message);
  }
  bool offer(std::string_view, nlohmann::json) override { return false; }
  void on_room(std::function<void()>) override {}
  bool open() const override { return false; }
  void on_close(std::function<void()> handler) override { handler(); }
};

}  // namespace

Daemon::Daemon(HomeLock lock, const HomePaths& home, const ProcessSetup& setup, std::string launcher_path,
               std::optional<std::uint64_t> total_log_bytes_max)
    : lock_(std::move(lock)),
      home_(home),
      service_(ServiceNotify::from_environment()),
      host_(io_, HostSettings{home, std::move(launcher_path), setup, total_log_bytes_max}),
      supervisor_(host_),
      deaths_(home.deaths),
      waiters_(io_, host_),
      rollouts_(supervisor_, waiters_),
      gate_(io_, supervisor_, waiters_),
      triggers_(io_, supervisor_, rollouts_, host_, home_),
      views_(supervisor_, host_, home, usable_cpus().count),
      context_{io_,       home_, supervisor_, host_,   waiters_,
               rollouts_, gate_, views_,      events_, [this] { end(); }},
      operations_(context_),
      signals_(io_, SIGTERM, SIGINT),
      watchdog_(io_) {
  signals_.add(SIGHUP);
  signals_.add(SIGUSR2);
  signals_.add(SIGUSR1);  // what an overseer program tells its master by; nothing to do, and no reason to die
  host_.attach(supervisor_);
  for (SupervisorListener* listener :
       std::initializer_list<SupervisorListener*>{&waiters_, &triggers_, &gate_, &events_, &deaths_}) {
    supervisor_.add_listener(*listener);
  }
  supervisor_.set_bug_handler([](const std::string& what) { spdlog::critical("bug: {}", what); });
  views_.add_facts([this](const App& app, nlohmann::json& view) { triggers_.describe(app, view); });
  wait_for_signals();
  feed_watchdog();
}

Result<> Daemon::open() {
  auto server = Server::open(io_, lock_, home_, [this](const Request& request, const Reply& reply) {
    operations_.handle(request, reply);
  });
  if (!server) return fail(server.error());
  server_ = std::move(*server);
  return {};
}

void Daemon::resurrect() {
  const auto parts =
      std::make_shared<Gather>(std::make_shared<LoggedConversation>(),
                               nlohmann::json{{"apps", nlohmann::json::array()}}, Patience::wait);
  const auto started = operations_.resurrect_all(parts);
  if (started) {
    spdlog::info("resurrecting {} saved apps", *started);
  } else if (started.error().code != ErrorCode::not_found) {
    parts->refuse(started.error());
  }
  supervisor_.pump();
}

void Daemon::run() {
  // Whatever one event meets (out of memory, a fault of ours), the apps of everybody else stay supervised.
  for (bool ended = false; !ended;) {
    try {
      io_.run();
      ended = true;
    } catch (const std::exception& error) {
      spdlog::critical("bug: an event was dropped: {}", error.what());
    }
  }
  // The last answers; a client that does not take them is not waited for.
  io_.restart();
  const auto deadline = std::chrono::steady_clock::now() + kLastAnswersTime;
  while (server_ && server_->has_open_sessions() && std::chrono::steady_clock::now() < deadline) {
    io_.run_one_for(kLastAnswersTime);
  }
}

void Daemon::wait_for_signals() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    handle_signal(signal);
    wait_for_signals();
  });
}

void Daemon::handle_signal(int signal) {
  if (signal == SIGUSR1) return;
  if (signal == SIGUSR2) {
    spdlog::info("signal {}: opening log files anew", signal);
    if (auto reopened = host_.logs().reopen_all(); !reopened) spdlog::warn("{}", reopened.error().message);
    return;
  }
  if (signal == SIGHUP) {
    spdlog::info("signal {}: reloading every app", signal);
    service_.tell("STATUS=reloading every app");
    return operations_.reload_all();
  }
  if (!ending_) return shut_down();
  spdlog::warn("second signal {}: killing what is left", signal);
  for (auto& [key, app] : supervisor_.apps()) supervisor_.stop(app, {}, Hurry::at_once);
  supervisor_.pump();
}

void Daemon::shut_down() {
  ending_ = true;
  spdlog::info("stopping every app, then the daemon");
  service_.tell("STOPPING=1");
  operations_.shut_down([this] { end(); });
}

void Daemon::feed_watchdog() {
  const auto interval = service_.watchdog_interval();
  if (!interval) return;
  service_.tell("WATCHDOG=1");
  watchdog_.expires_after(*interval);
  watchdog_.async_wait([this](const boost::system::error_code& error) {
    if (!error) feed_watchdog();
  });
}

void Daemon::end() {
  spdlog::info("ending");
  triggers_.stop();
  gate_.stop();
  signals_.cancel();
  watchdog_.cancel();
  if (server_) server_->close();
  host_.close();
  io_.stop();
}

}  // namespace clusterd
