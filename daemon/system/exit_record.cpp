#include "daemon/system/exit_record.h"

#include <sys/wait.h>

#include "common/signal_names.h"

namespace clusterd {

ExitRecord ExitRecord::from_wait_status(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return {.code = WEXITSTATUS(wait_status)};
  return {.signal = WTERMSIG(wait_status), .core_dumped = WCOREDUMP(wait_status)};
}

std::string ExitRecord::describe() const {
  if (signal == 0) return "exited with code " + std::to_string(code);
  return "killed by " + std::string(signal_name(signal)) + (core_dumped ? " (core dumped)" : "");
}

}  // namespace clusterd
