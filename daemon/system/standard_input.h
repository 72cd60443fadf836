// Standard input of a running instance: whole lines written into the pipe that the launcher gave it.
//
// Used by HostedProcess. The daemon keeps no end of that pipe: the program holds both in its descriptor 0, so
// it never reads an end, and it is opened anew through /proc for each line. Never blocks. Sources: pipe(7)
// (writes of up to PIPE_BUF bytes are whole or not at all), proc_pid_fd(5).
#pragma once

#include <sys/types.h>

#include <string_view>

#include "common/result.h"

namespace clusterd {

// The pid has to be a child of ours that was not reaped: then it is nobody else's. Errors: conflict
// (descriptor 0 is no pipe any more, or the pipe is full because nobody reads it), denied.
Result<void> write_standard_input(pid_t pid, std::string_view bytes);

}  // namespace clusterd
