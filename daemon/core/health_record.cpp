#include "daemon/core/health_record.h"

#include <algorithm>
#include <utility>

namespace clusterd {

HealthChange note_check(HealthRecord& record, const HealthCheck& health, bool passed, const std::string& note,
                        Milliseconds now) {
  if (passed) {
    const bool first = !std::exchange(record.passed, true);
    const bool was_failing = std::exchange(record.failing, false);
    record.failures = 0;
    if (first) return HealthChange::first_pass;
    return was_failing ? HealthChange::recovered : HealthChange::none;
  }
  if (record.failures++ == 0) record.failing_since = now;
  record.note = note;
  const Milliseconds patience = health.interval * (health.threshold - 1);
  if (record.failures < health.threshold || now - record.failing_since < patience) return HealthChange::none;
  record.failing = true;
  return HealthChange::failed;
}

Milliseconds next_check_in(const HealthCheck& health, bool passed_once) {
  return passed_once ? health.interval : std::min(health.interval, kUnprovenHealthInterval);
}

std::string failing_reason(const HealthRecord& record, const HealthCheck& health) {
  return "health: " + health.probe.text + " " + record.note + " (" + std::to_string(record.failures) +
         (record.failures == 1 ? " time)" : " times in a row)");
}

}  // namespace clusterd
