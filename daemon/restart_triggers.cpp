#include "daemon/restart_triggers.h"

#include <nlohmann/json.hpp>

namespace clusterd {

void RestartTriggers::app_changed(const App& app) {
  cron_.update(app);
  watch_.update(app);
  memory_.update(app);
}

void RestartTriggers::app_removed(const AppKey& app) {
  cron_.forget(app);
  watch_.forget(app);
  memory_.forget(app);
}

void RestartTriggers::stop() {
  cron_.stop();
  watch_.stop();
  memory_.stop();
}

void RestartTriggers::describe(const App& app, nlohmann::json& view) const {
  view["cron"] = cron_.view(app);
  view["watch"] = watch_.view(app);
}

}  // namespace clusterd
