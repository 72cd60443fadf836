#include "daemon/launch_limits.h"

namespace clusterd {

void add_limits(LaunchPlan& plan, const AppSpec& spec, const ProcessSetup& before) {
  plan.nofile_soft = before.nofile_soft;
  for (const auto& [name, limit] : spec.limits.rlimits) {
    if (const ResourceName* resource = find_resource(name))
      plan.limits.push_back({resource->number, limit.soft, limit.hard});
  }
  plan.nice = spec.limits.nice;
  plan.oom_score_adj = spec.limits.oom_score_adj ? spec.limits.oom_score_adj : before.oom_score_adj;
  if (spec.limits.umask) plan.umask = static_cast<mode_t>(*spec.limits.umask);
}

}  // namespace clusterd
