// The command of an exec probe: started by clusterd-exec like an app, reaped like one, heard by its status
// alone.
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/core/seconds_text.h"
#include "daemon/probe_run.h"
#include "daemon/system/exit_record.h"
#include "daemon/system/launch_channel.h"
#include "daemon/system/process_tree.h"
#include "daemon/system/spawner.h"

namespace clusterd {
namespace {

namespace asio = boost::asio;

class ExecProbeRun final : public ProbeRun {
 public:
  ExecProbeRun(asio::io_context& io, ProbeChildren& children, ProbeDone done)
      : timer_(io), children_(children), done_(std::move(done)) {}

  ~ExecProbeRun() override { abandon(); }

  void start(const std::string& launcher_path, const LaunchPlan& plan, Milliseconds timeout) {
    auto spawned = spawn_launcher(launcher_path, plan);
    if (!spawned) return later({false, false, spawned.error().message});
    pid_ = spawned->pid;
    channel_.emplace(std::move(spawned->channel));
    children_[pid_] = [this](int wait_status) { ended(wait_status); };
    after(timeout, [this, timeout] {
      abandon();
      finish({false, false, "did not end within " + seconds_text(timeout)});
    });
  }

 private:
  void later(ProbeAnswer answer) {
    after(Milliseconds{0}, [this, answer = std::move(answer)] { finish(answer); });
  }

  // A handler that is queued already is not cancelled with its timer; it finds that it is late by `turn_`.
  void after(Milliseconds delay, std::function<void()> fn) {
    timer_.expires_after(delay);
    timer_.async_wait([alive = std::weak_ptr<int>(alive_), this, mine = ++turn_,
                       fn = std::move(fn)](const boost::system::error_code& error) {
      if (!error && !alive.expired() && turn_ == mine) fn();
    });
  }

  void ended(int wait_status) {
    pid_ = 0;
    const ExitRecord exit = ExitRecord::from_wait_status(wait_status);
    const bool executed = channel_->read() != LaunchChannel::State::failed;
    if (!executed) return later({false, false, channel_->failure().sentence});
    later({exit.succeeded(), false, exit.describe()});
  }

  // Whoever it was is still reaped; nobody is told.
  void abandon() {
    if (pid_ == 0) return;
    children_[pid_] = [](int) {};
    kill_group(pid_);
    pid_ = 0;
  }

  void finish(const ProbeAnswer& answer) {
    if (auto done = std::exchange(done_, nullptr)) done(answer);
  }

  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::uint64_t turn_ = 0;
  asio::steady_timer timer_;
  ProbeChildren& children_;
  ProbeDone done_;
  pid_t pid_ = 0;
  std::optional<LaunchChannel> channel_;
};

}  // namespace

std::unique_ptr<ProbeRun> start_exec_probe(asio::io_context& io, const std::string& launcher_path,
                                           const LaunchPlan& plan, ProbeChildren& children,
                                           Milliseconds timeout, ProbeDone done) {
  auto run = std::make_unique<ExecProbeRun>(io, children, std::move(done));
  run->start(launcher_path, plan, timeout);
  return run;
}

}  // namespace clusterd
