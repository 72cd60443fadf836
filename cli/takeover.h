// Takeover: an app that begins where other processes serve, on their own listening sockets.
//
// Used by `adopt` and `import pm2 --start`. Nothing happens to those processes here: when this succeeds the
// app serves beside them and they may end; when it fails there is no app, and they serve as before. Blocks.
#pragma once

#include <sys/types.h>

#include <vector>

#include "cli/client.h"
#include "config/app_spec.h"

namespace clusterd::cli {

struct Takeover {
  const AppSpec& app;       // not in the daemon's list yet
  std::vector<pid_t> pids;  // whose sockets
  bool serves_all = true;   // the app is to listen on every one of them; false: some are of other apps
};

Result<> take_over(Client& client, const Takeover& takeover);

// Without sockets of anybody; an app that does not come up is deleted again.
Result<> start_or_remove(Client& client, const AppSpec& app);

}  // namespace clusterd::cli
