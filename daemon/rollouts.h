// Rollouts: at most one rollout an app at a time; what comes meanwhile waits its turn.
//
// A reload during a reload is queued; several queued ones become one, of the newest spec, and all who asked
// for it get its answer. A stop ends the running one and refuses the queued ones. Used by the operations and
// by SIGHUP.
#pragma once

#include <map>
#include <vector>

#include "daemon/supervisor.h"
#include "daemon/waiters.h"

namespace clusterd {

class Rollouts {
 public:
  Rollouts(Supervisor& supervisor, Waiters& waiters);

  void request(App& app, const AppSpec& spec, int count, DoneHandler done, ProgressHandler progress);

 private:
  struct Queued {
    AppSpec spec;
    int count = 0;
    std::vector<std::pair<DoneHandler, ProgressHandler>> who;
  };

  void begin(App& app, const AppSpec& spec, int count,
             std::vector<std::pair<DoneHandler, ProgressHandler>> who);
  void next(const AppKey& key);

  Supervisor& supervisor_;
  Waiters& waiters_;
  std::map<AppKey, Queued> queued_;
};

}  // namespace clusterd
