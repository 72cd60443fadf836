#include "cli/prove/round_driver.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLookPauseMs = 20;

void pause_until(SteadyTime time) {
  auto left = std::chrono::ceil<milliseconds>(time - Clock::now()).count();
  if (left > 0) poll(nullptr, 0, static_cast<int>(left));
}

std::string label(Round round, int number, const ProvedApp& app) {
  return std::string(round_word(round)) + " " + std::to_string(number) + " of " + app.name();
}

}  // namespace

RoundEvents RoundDriver::drive(Round round, std::vector<ProvedApp>& apps) {
  auto end = Clock::now() + options_.duration;
  RoundEvents events;
  if (round == Round::baseline) pause_until(end);
  if (round == Round::baseline) return events;
  int least = kProveEventsMin * static_cast<int>(apps.size());
  while (events.count < least || Clock::now() < end) {
    auto index = static_cast<std::size_t>(events.count) % apps.size();
    int number = events.count / static_cast<int>(apps.size()) + 1;
    auto next_at = Clock::now() + kEventPause;
    auto done = one_event(round, apps[index], number);
    journal_.end();
    if (!done) {
      events.error =
          Error{done.error().code, label(round, number, apps[index]) + ": " + done.error().message};
      return events;
    }
    ++events.count;
    pause_until(next_at);
  }
  return events;
}

Result<> RoundDriver::one_event(Round round, ProvedApp& app, int number) {
  switch (round) {
    case Round::kill:
      return kill_one(app, number);
    case Round::restart:
      return restart_one(app, number);
    case Round::scale:
      return scale_one(app, number);
    default:
      journal_.begin(label(round, number, app));
      return app.reload();
  }
}

Result<std::vector<ProvedInstance>> RoundDriver::online_instances(ProvedApp& app) {
  auto instances = app.instances();
  if (!instances) return instances;
  std::erase_if(*instances, [](const ProvedInstance& instance) { return !instance.online || !instance.pid; });
  if (instances->empty()) return fail(ErrorCode::failed, "no instance is online");
  return instances;
}

Result<> RoundDriver::kill_one(ProvedApp& app, int number) {
  auto instances = online_instances(app);
  if (!instances) return fail(instances.error());
  const ProvedInstance victim = (*instances)[random_() % instances->size()];
  journal_.begin(label(Round::kill, number, app) + " (instance " + std::to_string(victim.id) + ", pid " +
                 std::to_string(*victim.pid) + ")");
  journal_.kill_begins(Clock::now());
  auto killed = app.kill(victim.id);
  auto whole = killed ? wait_until_whole(app, victim) : killed;
  journal_.kill_over(Clock::now());
  return whole;
}

Result<> RoundDriver::wait_until_whole(ProvedApp& app, const ProvedInstance& victim) {
  auto deadline = Clock::now() + kWholeTimeout;
  while (true) {
    auto instances = app.instances();
    if (!instances) return fail(instances.error());
    bool gone = std::ranges::none_of(*instances, [&](const auto& one) { return one.pid == victim.pid; });
    if (gone) journal_.kill_over(Clock::now());  // from now on new connections meet living processes
    if (gone && std::ranges::all_of(*instances, &ProvedInstance::online)) return {};
    if (Clock::now() >= deadline) {
      return fail(ErrorCode::failed, "the killed instance was not replaced within " +
                                         std::to_string(kWholeTimeout.count() / 1000) + " s");
    }
    poll(nullptr, 0, kLookPauseMs);
  }
}

Result<> RoundDriver::restart_one(ProvedApp& app, int number) {
  auto instances = online_instances(app);
  if (!instances) return fail(instances.error());
  std::int64_t id = (*instances)[static_cast<std::size_t>(number - 1) % instances->size()].id;
  journal_.begin(label(Round::restart, number, app) + " (instance " + std::to_string(id) + ")");
  return app.restart(id);
}

// One more than there were, one fewer, as many: each step is an event of its own.
Result<> RoundDriver::scale_one(ProvedApp& app, int number) {
  auto instances = app.instances();
  if (!instances) return fail(instances.error());
  std::size_t before = instances->size();
  for (std::size_t count : {before + 1, std::max<std::size_t>(before - 1, 1), before}) {
    if (count == 0) continue;
    journal_.begin(label(Round::scale, number, app) + " (to " + std::to_string(count) + ")");
    if (auto scaled = app.scale(count); !scaled) return scaled;
  }
  return {};
}

}  // namespace clusterd::cli
