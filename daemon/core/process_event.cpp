#include "daemon/core/process_event.h"

#include <array>

namespace clusterd {

std::vector<ProcessEvent> process_events(const LifeStep& step) {
  std::vector<ProcessEvent> events;
  const bool lived = has_process(step.from);
  const bool lives = has_process(step.to);
  const bool launched = step.to == Phase::starting;  // every step to there launches; see the table
  const auto leaves = [](Phase phase) {
    return phase == Phase::draining || phase == Phase::stopping || phase == Phase::killing;
  };
  if (lived && (!lives || launched)) events.push_back(ProcessEvent::exit);
  if (launched) {
    events.push_back(step.again ? ProcessEvent::restart : ProcessEvent::start);
  } else if (step.to == Phase::online && step.from != Phase::online) {
    events.push_back(ProcessEvent::online);
  } else if (leaves(step.to) && !leaves(step.from)) {
    events.push_back(ProcessEvent::stop);
  } else if (step.to == Phase::errored && step.from != Phase::errored) {
    events.push_back(ProcessEvent::overlimit);
  }
  return events;
}

std::string_view event_name(ProcessEvent event) {
  constexpr std::array<std::string_view, 6> kNames{"start", "restart", "online",
                                                   "stop",  "exit",    "restart overlimit"};
  return kNames[static_cast<std::size_t>(event)];
}

}  // namespace clusterd
