// EndedBy: whose doing the end of a process was, as far as that can be known.
//
// Pure; HostedProcess knows the facts and asks once for each end, the record of deaths (daemon/death) keeps
// the answer. A wait status says which signal it was, never who sent it: what clusterd and its operator did
// not send is said to be somebody's, and nothing is guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/system/exit_record.h"
#include "daemon/system/oom_counter.h"

namespace clusterd {

enum class EndedBy : std::uint8_t {
  itself,    // it exited, or ran into a fault
  clusterd,  // its stop signal or its SIGKILL
  operated,  // `clusterd sendSignal`
  memory,    // the kernel's out-of-memory killer
  somebody,  // a signal of unknown origin
};

struct EndFacts {
  ExitRecord exit;
  int stop_signal = 0;                                   // that was sent to it; 0: none
  bool killed = false;                                   // our SIGKILL was out while it lived
  int operated = 0;                                      // the last signal of `clusterd sendSignal`; 0: none
  OomCounter::Answer oom = OomCounter::Answer::unknown;  // of the time it lived
};

EndedBy ended_by(const EndFacts& facts);
std::string_view ended_by_word(EndedBy by);

// What is to be said beside "killed by SIGKILL"; empty where nothing is.
std::string origin_of_end(const EndFacts& facts);

}  // namespace clusterd
