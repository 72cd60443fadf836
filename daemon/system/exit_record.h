// ExitRecord: how a process ended, as a value.
//
// Made from a wait status by whoever gets one from the reaper, shown in `list`, `describe` and the log.
#pragma once

#include <string>

namespace clusterd {

struct ExitRecord {
  int code = 0;    // 0..255; 0 if a signal ended it
  int signal = 0;  // 0: it exited by itself
  bool core_dumped = false;

  static ExitRecord from_wait_status(int wait_status);

  bool succeeded() const { return code == 0 && signal == 0; }

  // "exited with code 1", "killed by SIGSEGV (core dumped)"
  std::string describe() const;

  bool operator==(const ExitRecord&) const = default;
};

}  // namespace clusterd
