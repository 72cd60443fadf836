// Exec diagnosis: what a failed execve() was really about.
//
// ENOENT of an existing script means its interpreter, EACCES may be a missing x bit or a noexec mount. Looked
// at here, by the process that failed, because only it has the app's identity, directory and view of the file
// system.
#pragma once

#include "daemon/launcher/launch_wire.h"

namespace clusterd::launcher {

struct Diagnosis {
  wire::Fault fault = wire::Fault::plain;
  char detail[wire::kDetailBytesMax] = {};
};

Diagnosis diagnose_exec(const char* path, int error);

}  // namespace clusterd::launcher
