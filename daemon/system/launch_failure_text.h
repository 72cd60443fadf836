// Launch failure text: a report of the launcher as a sentence that says what to do.
//
// Used by LaunchChannel. Pure.
#pragma once

#include <string>

#include "daemon/launcher/launch_wire.h"

namespace clusterd {

// "plan", "session", "sockets", "stdio", "limits", "cwd", "takeover", "groups", "group", "user", "exec"
const char* launch_stage_word(wire::Stage stage);

std::string launch_failure_sentence(const wire::LaunchReport& report);

}  // namespace clusterd
