#include "daemon/cron_zone.h"

#include <spdlog/spdlog.h>

namespace clusterd {

std::string cron_zone_name(const AppSpec& spec) {
  if (!spec.cron.zone.empty()) return spec.cron.zone;
  const Environment environment = effective_environment(spec);
  const auto zone = environment.find("TZ");
  return zone == environment.end() ? "" : zone->second;
}

std::shared_ptr<const TimeZone> cron_zone(const std::string& name, const std::string& who) {
  if (name.empty()) return TimeZone::local();
  auto zone = TimeZone::find(name);
  if (zone) return *zone;
  spdlog::warn("{}: {}; its cron pattern goes by the daemon's time zone", who, zone.error().message);
  return TimeZone::local();
}

}  // namespace clusterd
