#include "daemon/core/stop_order.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "daemon/core/start_order.h"

namespace clusterd {

std::vector<std::size_t> next_to_stop(const std::vector<Leaver>& apps) {
  std::unordered_set<std::string> needed;
  for (const Leaver& app : apps) {
    if (!app.lives) continue;
    for (std::string& name : dependencies_of(*app.spec)) needed.insert(std::move(name));
  }
  std::vector<std::size_t> now;
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < apps.size(); ++i) {
    if (apps[i].told) continue;
    const bool waits =
        apps[i].lives && needed.contains(full_name(apps[i].spec->name_space, apps[i].spec->name));
    (waits ? later : now).push_back(i);
  }
  const bool somebody_leaves =
      std::ranges::any_of(apps, [](const Leaver& app) { return app.told && app.lives; });
  return now.empty() && !somebody_leaves ? later : now;
}

}  // namespace clusterd
