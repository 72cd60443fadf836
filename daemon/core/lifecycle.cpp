#include "daemon/core/lifecycle.h"

#include <array>

namespace clusterd {
namespace {

using P = Phase;

constexpr Transition bug{};
constexpr Transition ignore{Answer::ignore, P::stopped, {}};
constexpr Transition to(Phase next, Effects effects = {}) { return {Answer::move, next, effects}; }

constexpr Effects kLaunch{.launch = true};
constexpr Effects kAdmit{.admit = true};
constexpr Effects kSteer{.steer_away = true};
constexpr Effects kSignal{.signal = true};
constexpr Effects kKill{.kill = true};
constexpr Effects kBlame{.blame = true};
constexpr Effects kLate{.signal = true, .blame = true};
constexpr Effects kUnstable{.blame = true, .attempt = true};
constexpr Effects kSettle{.settle = true};
constexpr Effects kStuck{.kill = true, .stuck = true};

// One row a phase, one column a trigger, in the order of the enumerations:
// start, launch_failed, ready, expired, crashed_stable, crashed_delayed, crashed_unstable, gave_up, ended,
// announced_end, failed_check, drained, retire, stop, kill
using Row = std::array<Transition, kTriggerCount>;

// Nothing runs. Orders to go down are already obeyed.
constexpr Row kStopped{
    to(P::starting, kLaunch), bug, bug, bug, bug, bug, bug, bug, bug, bug, bug, bug, ignore, ignore, ignore};

// An exit before readiness is never a stable one. Not ready in time is a failed start, not an online
// instance.
constexpr Row kStarting{bug,
                        to(P::errored, kBlame),
                        to(P::online, kAdmit),
                        to(P::stopping, kLate),
                        bug,
                        bug,
                        to(P::backing_off, kUnstable),
                        to(P::errored, kUnstable),
                        to(P::stopped),
                        to(P::stopping),
                        to(P::stopping, kLate),
                        bug,
                        to(P::stopping, kSignal),
                        to(P::stopping, kSignal),
                        to(P::killing, kKill)};

// The timer says that min_uptime has passed. A second "ready" is polite noise.
constexpr Row kOnline{bug,
                      bug,
                      ignore,
                      to(P::online, kSettle),
                      to(P::starting, kLaunch),
                      to(P::backing_off),
                      to(P::backing_off, kUnstable),
                      to(P::errored, kUnstable),
                      to(P::stopped),
                      to(P::stopping),
                      to(P::stopping, kSignal),
                      bug,
                      to(P::draining, kSteer),
                      to(P::stopping, kSignal),
                      to(P::killing, kKill)};

// It is leaving: whatever makes it exit is an end.
constexpr Row kDraining{bug,
                        bug,
                        ignore,
                        to(P::stopping, kSignal),
                        bug,
                        bug,
                        bug,
                        bug,
                        to(P::stopped),
                        ignore,
                        ignore,
                        to(P::stopping, kSignal),
                        ignore,
                        to(P::stopping, kSignal),
                        to(P::killing, kKill)};

// Reached by order (goal down: the exit is `ended`), because it was not ready in time (goal up: the exit is
// an unstable one and the instance tries again), because a check failed, or by its own word; a stable life is
// then followed by the next one at once.
constexpr Row kStopping{bug,
                        to(P::errored, kBlame),
                        ignore,
                        to(P::killing, kKill),
                        to(P::starting, kLaunch),
                        to(P::backing_off),
                        to(P::backing_off, kUnstable),
                        to(P::errored, kUnstable),
                        to(P::stopped),
                        ignore,
                        ignore,
                        ignore,
                        ignore,
                        ignore,
                        to(P::killing, kKill)};

constexpr Row kKilling{bug,
                       to(P::errored, kBlame),
                       ignore,
                       to(P::killing, kStuck),
                       to(P::starting, kLaunch),
                       to(P::backing_off),
                       to(P::backing_off, kUnstable),
                       to(P::errored, kUnstable),
                       to(P::stopped),
                       ignore,
                       ignore,
                       ignore,
                       ignore,
                       ignore,
                       ignore};

// No process: an order to go down is obeyed on the spot, and the pending start is gone with the phase.
constexpr Row kBackingOff{to(P::starting, kLaunch),
                          bug,
                          bug,
                          to(P::starting, kLaunch),
                          bug,
                          bug,
                          bug,
                          bug,
                          bug,
                          bug,
                          bug,
                          bug,
                          to(P::stopped),
                          to(P::stopped),
                          to(P::stopped)};

// A new order to run makes a new instance; this one only waits to be forgotten.
constexpr Row kErrored{
    bug,           bug, bug, bug, bug, bug, bug, bug, bug, bug, bug, bug, to(P::stopped), to(P::stopped),
    to(P::stopped)};

constexpr std::array<Row, kPhaseCount> kTable{kStopped,  kStarting, kOnline,     kDraining,
                                              kStopping, kKilling,  kBackingOff, kErrored};

constexpr std::array<std::string_view, kPhaseCount> kPhaseNames{
    "stopped", "starting", "online", "draining", "stopping", "killing", "backing_off", "errored"};
constexpr std::array<std::string_view, kPhaseCount> kStatuses{
    "stopped", "launching", "online", "stopping", "stopping", "stopping", "waiting restart", "errored"};
constexpr std::array<std::string_view, kTriggerCount> kTriggerNames{
    "start",           "launch_failed",    "ready",   "expired", "crashed_stable",
    "crashed_delayed", "crashed_unstable", "gave_up", "ended",   "announced_end",
    "failed_check",    "drained",          "retire",  "stop",    "kill"};

}  // namespace

const Transition& advance(Phase phase, Trigger trigger) {
  return kTable[static_cast<std::size_t>(phase)][static_cast<std::size_t>(trigger)];
}

std::string_view phase_name(Phase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }
std::string_view trigger_name(Trigger trigger) { return kTriggerNames[static_cast<std::size_t>(trigger)]; }
std::string_view phase_status(Phase phase) { return kStatuses[static_cast<std::size_t>(phase)]; }

}  // namespace clusterd
