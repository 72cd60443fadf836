// How ProcessHost runs an app's hooks around its orders: a launch waits for pre_start, a stop signal for
// pre_stop, the news of an exit for post_stop; nothing waits for post_start.
#include <spdlog/spdlog.h>

#include <csignal>

#include "daemon/process_host.h"

namespace clusterd {
namespace {

using Moment = HookRun::Moment;

std::string label(const LaunchOrder& order) { return order.app.name + "." + std::to_string(order.slot); }

void report(const LaunchOrder& order, const std::string& fault) {
  if (!fault.empty()) spdlog::warn("{}: {}", label(order), fault);
}

std::string exit_variable(const ExitRecord& exit) {
  return exit.signal != 0 ? "CLUSTERD_EXIT_SIGNAL=" + std::to_string(exit.signal)
                          : "CLUSTERD_EXIT_CODE=" + std::to_string(exit.code);
}

}  // namespace

std::unique_ptr<HookRun> ProcessHost::start_hook(const LaunchOrder& order, Moment moment,
                                                 std::vector<std::string> variables, HookRun::Done done) {
  std::optional<ResolvedUser> user;
  if (!order.spec->uid.empty() || !order.spec->gid.empty()) {
    if (auto resolved = user_of(*order.spec)) user = std::move(*resolved);
  }
  return std::make_unique<HookRun>(resources_, order, moment, user, std::move(variables), std::move(done));
}

void ProcessHost::end_hook(std::unique_ptr<HookRun>& hook) {
  if (!hook) return;
  for (const auto& stream : hook->streams()) linger(stream);
  hook.reset();
}

// False: there is no hook.
bool ProcessHost::launch_after_hook(const LaunchOrder& order) {
  if (!runs_hook(*order.spec, Moment::pre_start)) return false;
  if (auto user = user_of(*order.spec); !user && !(order.spec->uid.empty() && order.spec->gid.empty()))
    return false;  // the launch says so
  Seat& place = seat(order.key);
  end_hook(place.after);
  place.before = start_hook(order, Moment::pre_start, {}, [this, order](const std::string& fault) {
    end_hook(seat(order.key).before);
    if (fault.empty()) return launch_now(order);
    fail_launch(order, {ErrorCode::failed, fault});
  });
  return true;
}

// A stop while pre_start runs: nothing has been started, so nothing has to be stopped but the hook.
bool ProcessHost::abandon_launch(InstanceKey key) {
  Seat& place = seat(key);
  if (!place.before || place.before->moment() != Moment::pre_start) return false;
  const LaunchOrder order = place.before->order();
  end_hook(place.before);
  InstanceEvent event{InstanceEvent::Kind::exited, key, order.life};
  event.exit.signal = SIGTERM;
  post_now(std::move(event));
  return true;
}

void ProcessHost::run_post_start(InstanceKey key) {
  const HostedProcess* process = process_of(key);
  if (process == nullptr || !runs_hook(*process->order().spec, Moment::post_start)) return;
  const LaunchOrder order = process->order();
  const std::vector<pid_t> tree = process->tree();
  std::vector<std::string> variables;
  if (!tree.empty()) variables.push_back("CLUSTERD_PID=" + std::to_string(tree.front()));
  seat(key).after =
      start_hook(order, Moment::post_start, std::move(variables), [this, order](const std::string& fault) {
        report(order, fault);
        end_hook(seat(order.key).after);
      });
}

// True: the signal comes later, or has been ordered before.
bool ProcessHost::signal_after_hook(InstanceKey key) {
  Seat& place = seat(key);
  const HostedProcess* process = place.process.get();
  if (process == nullptr || !process->leader_alive()) return false;
  if (!runs_hook(*process->order().spec, Moment::pre_stop)) return false;
  const LaunchOrder order = process->order();
  if (place.told_to_stop == order.life) return true;
  place.told_to_stop = order.life;
  const std::vector<std::string> variables{"CLUSTERD_PID=" + std::to_string(process->tree().front())};
  place.before = start_hook(order, Moment::pre_stop, variables, [this, order](const std::string& fault) {
    report(order, fault);
    Seat& then = seat(order.key);
    end_hook(then.before);
    if (!then.process || then.process->order().life != order.life) return;
    then.process->signal();
    post({InstanceEvent::Kind::signalled, order.key, order.life});
  });
  return true;
}

// What never ran has nothing to be cleaned up after.
bool ProcessHost::exit_after_hook(const InstanceEvent& event) {
  const HostedProcess* process = process_of(event.key);
  if (process == nullptr || !event.failure.empty()) return false;
  if (!runs_hook(*process->order().spec, Moment::post_stop)) return false;
  const LaunchOrder order = process->order();
  Seat& place = seat(event.key);
  if (place.before && place.before->moment() == Moment::pre_stop) end_hook(place.before);
  end_hook(place.after);
  place.after = start_hook(order, Moment::post_stop, {exit_variable(event.exit)},
                           [this, order, event](const std::string& fault) {
                             report(order, fault);
                             end_hook(seat(order.key).after);
                             post_now(event);
                           });
  return true;
}

}  // namespace clusterd
