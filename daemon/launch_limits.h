// launch_limits: the limits of an app's settings -> those of a launch plan. Pure.
//
// Used for the processes of an app and for its hooks.
#pragma once

#include "config/app_spec.h"
#include "daemon/system/launch_plan.h"
#include "daemon/system/process_setup.h"

namespace clusterd {

// `before`: what the daemon had before it changed itself, which is what an app gets that says nothing else.
void add_limits(LaunchPlan& plan, const AppSpec& spec, const ProcessSetup& before);

}  // namespace clusterd
