#include "daemon/ended_by.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace clusterd {
namespace {

// A process brings these upon itself: faults, abort(), limits of its own, a reader that is gone.
bool is_own_fault(int signal) {
  constexpr std::array kFaults{SIGSEGV, SIGABRT, SIGBUS,  SIGFPE,  SIGILL,
                               SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGPIPE};
  return std::ranges::find(kFaults, signal) != kFaults.end();
}

}  // namespace

EndedBy ended_by(const EndFacts& facts) {
  const int signal = facts.exit.signal;
  const bool told = facts.stop_signal != 0 || facts.killed;
  if (signal == 0) return told ? EndedBy::clusterd : EndedBy::itself;
  if (facts.killed && signal == SIGKILL) return EndedBy::clusterd;
  if (signal == facts.stop_signal) return EndedBy::clusterd;
  if (signal == facts.operated) return EndedBy::operated;
  if (is_own_fault(signal)) return EndedBy::itself;
  const bool starved =
      facts.oom == OomCounter::Answer::in_cgroup || facts.oom == OomCounter::Answer::in_machine;
  return signal == SIGKILL && starved ? EndedBy::memory : EndedBy::somebody;
}

std::string_view ended_by_word(EndedBy by) {
  switch (by) {
    case EndedBy::itself:
      return "itself";
    case EndedBy::clusterd:
      return "clusterd";
    case EndedBy::operated:
      return "operator";
    case EndedBy::memory:
      return "memory";
    case EndedBy::somebody:
      return "somebody";
  }
  return "somebody";
}

std::string origin_of_end(const EndFacts& facts) {
  switch (ended_by(facts)) {
    case EndedBy::itself:
    case EndedBy::clusterd:
      return "";
    case EndedBy::operated:
      return "sent with clusterd sendSignal";
    case EndedBy::memory:
      return facts.oom == OomCounter::Answer::in_cgroup
                 ? "by the kernel's out-of-memory killer: its cgroup counts a victim since it was started"
                 : "probably by the kernel's out-of-memory killer, which had a victim on this machine "
                   "meanwhile";
    case EndedBy::somebody:
      break;
  }
  if (facts.exit.signal != SIGKILL) return "not by clusterd: somebody sent it";
  return facts.oom == OomCounter::Answer::none
             ? "not by clusterd, nor by the kernel's out-of-memory killer: somebody sent it"
             : "not by clusterd: the kernel's out-of-memory killer, or somebody";
}

}  // namespace clusterd
