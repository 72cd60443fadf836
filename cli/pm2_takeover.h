// PM2 takeover: moves the apps of a running PM2 over to the daemon, one by one.
//
// Used by `import pm2 --start`. An app starts on the listening sockets that PM2's processes have, and is
// deleted from PM2 once it serves. Stops at the first app that does not come up: that one and those behind it
// stay with PM2.
#pragma once

#include <vector>

#include "cli/client.h"
#include "cli/console.h"
#include "cli/pm2_list.h"
#include "config/app_spec.h"

namespace clusterd::cli {

struct Pm2Move {
  const Pm2List& list;
  const std::vector<AppSpec>& apps;
  const std::vector<std::vector<int>>& ids;  // PM2's, of the processes of each app
};

Result<> take_over_from_pm2(Client& client, const Pm2Move& move, Console& console);

}  // namespace clusterd::cli
