// The lifecycle of an instance: one table, phase x trigger -> next phase and effects.
//
// Problem: the state of a supervised process is where process managers go wrong: "online" with pid 0, a
// restart timer that fires after a delete, a stop that is forgotten because the process happened to crash.
// Idea: eight phases, every event is one of the triggers below, and one constexpr array answers each pair on
// purpose. A cell that cannot happen says `bug` and is asserted; a search over all reachable worlds keeps
// that honest (tests/search). docs/lifecycle.md is this table for people and is compared with it by a test.
//
// Owns nothing, performs nothing: advance() returns what has to be done and the supervisor does it. There is
// one timer an instance; its meaning is the phase, so a timer of an earlier phase cannot fire into a later
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace clusterd {

enum class Phase : std::uint8_t {
  stopped,      // no process and none wanted; also the state before the first start
  starting,     // a process exists, not ready yet; timer: deadline of readiness
  online,       // ready; timer: until it counts as stable (min_uptime)
  draining,     // replaced or surplus: keeps its connections, gets no new ones; timer: drain_timeout
  stopping,     // the stop signal is out; timer: kill_timeout
  killing,      // SIGKILL is out; timer: until we try again and say so
  backing_off,  // no process; timer: the next start
  errored,      // no process, no further try until the operator says so
};
inline constexpr std::size_t kPhaseCount = 8;

// Events are things that happened (past tense) or orders (imperative).
enum class Trigger : std::uint8_t {
  start,             // order: run
  launch_failed,     // the program could not be executed
  ready,             // listening, READY=1, or alive long enough
  expired,           // the timer of the phase
  crashed_stable,    // exited after a stable life: start again at once
  crashed_delayed,   // the same where the operator fixed a restart_delay
  crashed_unstable,  // exited before it was stable: wait, longer each time
  gave_up,           // exited once more than max_restarts allows
  ended,             // exited and is not to be started again (ordered, or by policy)
  announced_end,     // it says that it is about to end (STOPPING=1)
  failed_check,      // its watchdog or its health check has failed: it is to be ended and started again
  drained,           // nothing is left in its queue and on its connections
  retire,            // order: leave without cutting anybody
  stop,              // order: stop signal now
  kill,              // order: SIGKILL now
};
inline constexpr std::size_t kTriggerCount = 15;

// What the supervisor has to do after a transition, in this order. Entering a phase also arms its timer.
struct Effects {
  bool launch = false;      // start the process
  bool admit = false;       // new connections for it
  bool steer_away = false;  // no new connections for it
  bool signal = false;      // stop signal to the whole tree, once a life
  bool kill = false;        // SIGKILL to the whole tree
  bool blame = false;       // it failed: a rollout has to know
  bool attempt = false;     // one more unstable life in a row
  bool settle = false;      // it is stable: the row of unstable lives is over
  bool stuck = false;       // SIGKILL did not end it in time

  bool operator==(const Effects&) const = default;
};

enum class Answer : std::uint8_t {
  move,    // go to `next` and perform the effects
  ignore,  // nothing changes: the event is late or already obeyed
  bug,     // cannot happen; the supervisor asserts
};

struct Transition {
  Answer answer = Answer::bug;
  Phase next = Phase::stopped;
  Effects effects;
};

const Transition& advance(Phase phase, Trigger trigger);

constexpr bool has_process(Phase phase) {
  return phase == Phase::starting || phase == Phase::online || phase == Phase::draining ||
         phase == Phase::stopping || phase == Phase::killing;
}
constexpr bool has_ended(Phase phase) { return phase == Phase::stopped || phase == Phase::errored; }

std::string_view phase_name(Phase phase);        // "backing_off"
std::string_view trigger_name(Trigger trigger);  // "crashed_unstable"

// PM2's word for the phase: online, launching, stopping, stopped, errored, waiting restart.
std::string_view phase_status(Phase phase);

}  // namespace clusterd
