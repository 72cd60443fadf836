// EventLine: what happens to apps, as `clusterd events` prints it.
//
// Pure. Fields: docs/protocol.md, "Events of apps".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/message.h"

namespace clusterd::cli {

// "2026-11-30T19:18:20.123Z web.0 exit SIGSEGV: SIGSEGV after 3.1 s", without a line end.
std::string event_line(const Event& event);

// {"topic":"process:event",...}: the event's own fields and what it is.
nlohmann::json event_object(const Event& event);

// What a follower of logs is told of lines that were left out, by an event `dropped`.
std::string dropped_line(const Event& event);

}  // namespace clusterd::cli
