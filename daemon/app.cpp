#include "daemon/app.h"

#include <algorithm>

namespace clusterd {

bool is_wanted_up(const App& app) {
  return std::ranges::any_of(app.wanted.slots, [](const WantedSlot& slot) { return slot.goal == Goal::up; });
}

bool finished_well(const App& app, int slot, const AppSpec& spec) {
  const auto& exit = app.slots[static_cast<std::size_t>(slot)].last_exit;
  if (!exit || exit->succeeded()) return true;
  return exit->signal == 0 &&
         std::ranges::find(spec.stop_exit_codes, exit->code) != spec.stop_exit_codes.end();
}

int surge_of(const AppSpec& spec, std::size_t count) {
  return spec.max_surge ? *spec.max_surge : std::max(1, static_cast<int>(count) / 4);
}

ReadyFacts ready_facts(const App& app, const Instance& instance) {
  return {instance.executed, instance.binds, instance.listened, app.has_listened, instance.probe_note};
}

Seen seen_of(const Instance& instance) {
  return {instance.key,  instance.slot,    instance.generation, instance.phase,
          instance.goal, instance.settled, instance.blamed};
}

std::vector<Seen> seen_of(const App& app) {
  std::vector<Seen> seen;
  seen.reserve(app.instances.size());
  for (const Instance& instance : app.instances) seen.push_back(seen_of(instance));
  return seen;
}

}  // namespace clusterd
