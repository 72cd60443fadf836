#include "daemon/system/capabilities.h"

#include <unistd.h>

#include "daemon/system/procfs.h"

namespace clusterd {

bool has_capability(Capability capability) {
  const auto status = read_task_status(getpid());
  return status && (status->effective_capabilities >> static_cast<unsigned>(capability) & 1) != 0;
}

}  // namespace clusterd
