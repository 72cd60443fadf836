#include "daemon/system/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot open a pipe for the output", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace clusterd
