// unasked_restart: a restart that nobody ordered at this moment: by time, or because files have changed.
//
// Used by cron_restarts and watch_restarts. One rule for both: what serves is replaced as by `reload`, new
// before old where the app can and a few at a time; what does not serve (errored, waiting, ended) is simply
// started anew.
#pragma once

#include <string>

#include "daemon/rollouts.h"
#include "daemon/supervisor.h"

namespace clusterd {

// The reason stands in `list` and `describe` afterwards. The caller pumps the Supervisor.
void restart_unasked(Supervisor& supervisor, Rollouts& rollouts, App& app, const std::string& reason);

}  // namespace clusterd
