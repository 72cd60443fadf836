// What happens to an instance, in the words that scripts written for PM2's event stream know.
//
// Pure: one step of the lifecycle -> none, one or two events. Used by the EventFeed alone. The names are
// PM2's (`process:event`): start, online, restart, stop, exit, restart overlimit.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "daemon/core/lifecycle.h"

namespace clusterd {

enum class ProcessEvent : std::uint8_t {
  start,      // its first process
  restart,    // a further process in its slot
  online,     // it is ready
  stop,       // it is told to go, or gets no new connections any more
  exit,       // its process and everything it had started have ended
  overlimit,  // it will not be started again
};

struct LifeStep {
  Phase from;
  Phase to;
  bool again = false;  // if a process begins with this step: it is not the first one of its slot
};

std::vector<ProcessEvent> process_events(const LifeStep& step);
std::string_view event_name(ProcessEvent event);

}  // namespace clusterd
