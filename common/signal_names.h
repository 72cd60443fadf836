// Linux signals by name and number.
//
// Pure table; used by the config parser (`kill_signal`), the CLI (`sendSignal`) and the daemon's messages.
// Numbers are those of the machine this was compiled for.
#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

// "SIGUSR1", "USR1", "sigusr1", "10", "SIGRTMIN+3". 0 is refused: it would only test whether a process
// exists.
Result<int> signal_from_name(std::string_view name);

// "SIGTERM"; "SIGRTMIN+3" for real-time signals; "signal 99" for a number Linux does not have.
std::string signal_name(int number);

}  // namespace clusterd
