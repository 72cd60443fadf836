// Every world an instance can get into, for every restart policy: no `bug` cell is ever reached, and no other
// cell is there in vain.
#include <catch2/catch.hpp>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

#include "daemon/core/lifecycle.h"
#include "daemon/core/restart_policy.h"

namespace clusterd {
namespace {

struct World {
  Phase phase = Phase::stopped;
  Goal goal = Goal::up;
  bool started = false;  // the planner creates an instance and starts it, once
  bool executed = false;
  bool settled = false;
  int attempts = 0;  // counted to 2; more is the same

  auto operator<=>(const World&) const = default;
};

using Cell = std::pair<Phase, Trigger>;

struct Search {
  AppSpec spec;
  std::set<Cell> cells;
  std::set<Cell> bugs;
  std::set<World> seen;
  std::queue<World> open;

  void visit(const World& world) {
    if (seen.insert(world).second) open.push(world);
  }

  void apply(World world, Trigger trigger) {
    const Transition& transition = advance(world.phase, trigger);
    cells.insert({world.phase, trigger});
    if (transition.answer == Answer::bug) bugs.insert({world.phase, trigger});
    if (transition.answer != Answer::move) return visit(world);
    world.phase = transition.next;
    if (transition.effects.attempt) world.attempts = std::min(2, world.attempts + 1);
    if (transition.effects.settle) world.settled = true, world.attempts = 0;
    if (transition.effects.launch) world.started = true, world.executed = world.settled = false;
    visit(world);
  }

  void exits(const World& world) {
    for (const std::optional<int> code : {std::optional(0), std::optional(1), std::optional<int>()}) {
      apply(world, classify_exit(spec, {world.goal, true, world.settled, world.attempts, code}));
    }
    if (!world.executed) apply(world, classify_exit(spec, {world.goal, false, false, world.attempts, 127}));
  }

  void expand(const World& world) {
    if (!world.started) apply(world, Trigger::start);
    if (world.phase == Phase::backing_off && world.goal == Goal::up) apply(world, Trigger::start);
    for (const Trigger order : {Trigger::retire, Trigger::stop, Trigger::kill}) {
      World ordered = world;
      ordered.goal = Goal::down;
      apply(ordered, order);
    }
    const bool unlimited = world.phase == Phase::stopping && spec.kill_timeout == kNoTimeLimit;
    if (!has_ended(world.phase) && !unlimited) apply(world, Trigger::expired);
    if (world.phase == Phase::draining || world.phase == Phase::stopping || world.phase == Phase::killing) {
      apply(world, Trigger::drained);
    }
    if (!has_process(world.phase)) return;
    if (world.executed) {
      for (const Trigger sign : {Trigger::ready, Trigger::announced_end, Trigger::failed_check})
        apply(world, sign);
    }
    World executed = world;
    executed.executed = true;
    visit(executed);
    exits(world);
  }

  void run() {
    visit(World{});
    while (!open.empty()) {
      const World world = open.front();
      open.pop();
      // Ready comes after the program runs, so an online world has executed.
      expand(world);
    }
  }
};

std::vector<AppSpec> policies() {
  std::vector<AppSpec> result;
  for (const bool autorestart : {true, false}) {
    for (const std::optional<int> max_restarts : {std::optional<int>(), std::optional(0), std::optional(1)}) {
      for (const auto& [delay_ms, unlimited] :
           {std::pair(0, false), std::pair(500, false), std::pair(500, true)}) {
        AppSpec spec;
        spec.autorestart = autorestart;
        spec.max_restarts = max_restarts;
        spec.restart_delay = Milliseconds(delay_ms);
        spec.kill_timeout = unlimited ? kNoTimeLimit : Milliseconds(1'600);
        spec.stop_exit_codes = {0};
        result.push_back(spec);
      }
    }
  }
  return result;
}

std::string cell_text(const std::set<Cell>& cells) {
  std::string text;
  for (const auto& [phase, trigger] : cells) {
    text += std::string(phase_name(phase)) + " x " + std::string(trigger_name(trigger)) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE(
    "no reachable world of an instance meets a cell that cannot happen, and every other cell is reached") {
  std::set<Cell> cells;
  std::set<Cell> bugs;
  std::size_t worlds = 0;
  for (const AppSpec& spec : policies()) {
    Search search{spec, {}, {}, {}, {}};
    search.run();
    cells.merge(search.cells);
    bugs.merge(search.bugs);
    worlds += search.seen.size();
  }
  INFO("bug cells reached:\n" << cell_text(bugs));
  CHECK(bugs.empty());
  CHECK(worlds > 200);

  std::set<Cell> idle;
  for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
    for (std::size_t trigger = 0; trigger < kTriggerCount; ++trigger) {
      const Cell cell{static_cast<Phase>(phase), static_cast<Trigger>(trigger)};
      if (advance(cell.first, cell.second).answer != Answer::bug && !cells.contains(cell)) idle.insert(cell);
    }
  }
  INFO("cells that are filled and never used:\n" << cell_text(idle));
  CHECK(idle.empty());
}

TEST_CASE("from every world a stop leads to an end without a process if the process obeys or can be killed") {
  for (std::size_t index = 0; index < kPhaseCount; ++index) {
    Phase phase = static_cast<Phase>(index);
    const Transition& stop = advance(phase, Trigger::stop);
    REQUIRE(stop.answer != Answer::bug);
    if (stop.answer == Answer::move) phase = stop.next;
    for (int steps = 0; has_process(phase) && steps < 3; ++steps) {
      const Transition& ended = advance(phase, Trigger::ended);
      REQUIRE(ended.answer == Answer::move);
      phase = ended.next;
    }
    CHECK(has_ended(phase));
  }
}

}  // namespace clusterd
