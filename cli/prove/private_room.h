// PrivateRoom: a process and a folder to try something out in, of which nothing is left afterwards.
//
// Used by `prove`. The work runs in a child process; this one waits and keeps the door: when the child has
// ended (by itself, by a signal, by Ctrl-C) every process that came of it is told to stop, then killed, and
// the folder is removed. Processes of daemons are found because orphans come to this process
// (PR_SET_CHILD_SUBREAPER). Children this process had before are left alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "cli/caller.h"
#include "common/result.h"

namespace clusterd::cli {

// What is left gets SIGTERM, and this much time, before SIGKILL.
inline constexpr std::chrono::milliseconds kRoomStopTimeout{5'000};

struct RoomOutcome {
  int status = 0;         // exit status of the work, or 128 + signal
  int signal_number = 0;  // 0: it ended by itself
};

// Runs `work(folder)` in a child and returns what it returned. Errors: the folder or the process cannot be
// made. Below $TMPDIR, mode 0700.
Result<RoomOutcome> in_private_room(const Caller& caller,
                                    const std::function<int(const std::string& folder)>& work);

}  // namespace clusterd::cli
