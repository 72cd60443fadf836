#include "daemon/core/cron_schedule.h"

#include <algorithm>

namespace clusterd {
namespace {

using Kind = ZoneRules::Moments::Kind;

// Later than any change of the clock moves it.
constexpr std::int64_t kChangeSecondsMax = 3 * 3'600;

// Whether the clock is changed near this moment; most of the time it is not.
bool changes_near(const ZoneRules& zone, std::int64_t moment) {
  const auto is_unique = [&](std::int64_t at) {
    return zone.moments(zone.civil(at)).kind == Kind::unique && zone.moments(zone.civil(at)).first == at;
  };
  for (std::int64_t at = moment - kChangeSecondsMax; at <= moment + kChangeSecondsMax; at += 900) {
    if (!is_unique(at)) return true;
  }
  return false;
}

// The first match of the second pass through a repeated hour.
std::optional<std::int64_t> next_repeated(const CronPattern& pattern, const ZoneRules& zone,
                                          std::int64_t after) {
  const CivilTime until = zone.civil(after + kChangeSecondsMax);
  std::optional<CivilTime> civil = pattern.next(zone.civil(after - kChangeSecondsMax));
  for (; civil && *civil < until; civil = pattern.next(*civil)) {
    const ZoneRules::Moments moments = zone.moments(*civil);
    if (moments.kind == Kind::repeated && moments.second > after) return moments.second;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> next_fire(const CronPattern& pattern, const ZoneRules& zone, std::int64_t after) {
  const bool every_hour = pattern.every_hour();
  std::optional<std::int64_t> found;
  std::optional<CivilTime> civil = pattern.next(zone.civil(after));
  for (; civil && !found; civil = pattern.next(*civil)) {
    const ZoneRules::Moments moments = zone.moments(*civil);
    if (moments.kind == Kind::skipped && every_hour) continue;
    if (moments.first > after) found = moments.first;
  }
  if (every_hour && changes_near(zone, after)) {
    const auto repeated = next_repeated(pattern, zone, after);
    if (repeated) found = std::min(found.value_or(*repeated), *repeated);
  }
  return found;
}

bool CronSchedule::wake(const ZoneRules& zone, std::int64_t now) {
  const bool fires = due_ && *due_ <= now;
  if (fires) last_ = due_;
  const bool put_back = last_ && *last_ > now && *last_ - now <= kPutBackSecondsMax;
  due_ = next_fire(pattern_, zone, put_back ? *last_ : now);
  return fires;
}

}  // namespace clusterd
