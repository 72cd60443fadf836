// Pipe: both ends of a new pipe, close-on-exec, blocking.
// One per output stream of an instance: the read end becomes an OutputPump, the write end goes to the
// launcher.
#pragma once

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> open_pipe();

}  // namespace clusterd
