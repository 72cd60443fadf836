// Who this process is and whether another one exists: the questions the glue asks about pids.
//
// Snapshots; never signals or waits for anybody.
#pragma once

#include <sys/types.h>

namespace clusterd {

pid_t own_pid();
uid_t own_uid();                 // effective
bool process_exists(pid_t pid);  // zombies included
pid_t session_of(pid_t pid);     // -1: no such process

}  // namespace clusterd
