// Rollouts: at most one rollout an app at a time; what comes meanwhile waits its turn.
//
// A reload during a reload is queued; several queued ones become one, and all who asked for it get its
// answer. What is queued is the intent, not its result: a plain reload behind a change of the file reloads
// what the file has made of the app. A stop ends the running one and refuses the queued ones. Used by the
// operations and by SIGHUP.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "daemon/supervisor.h"
#include "daemon/waiters.h"

namespace clusterd {

// Absent: as it is when the rollout begins.
struct RolloutIntent {
  std::optional<AppSpec> spec;               // from a file or the command line
  std::optional<Environment> inherited_env;  // --update-env
  std::optional<int> count;
  std::string renewal{};  // why it is restarted, if nobody has ordered it now
};

class Rollouts {
 public:
  Rollouts(Supervisor& supervisor, Waiters& waiters);

  // The caller pumps the Supervisor afterwards.
  void request(App& app, RolloutIntent intent, DoneHandler done, ProgressHandler progress);

 private:
  using Askers = std::vector<std::pair<DoneHandler, ProgressHandler>>;
  struct Queued {
    RolloutIntent intent;
    Askers askers;
  };

  void begin(App& app, const RolloutIntent& intent, Askers askers);
  void next(const AppKey& key);

  Supervisor& supervisor_;
  Waiters& waiters_;
  std::map<AppKey, Queued> queued_;
};

}  // namespace clusterd
