// Pipe: both ends of a new pipe, close-on-exec. One per output stream of an instance.
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
