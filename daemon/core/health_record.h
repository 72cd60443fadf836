// HealthRecord: what the health checks of one life have shown so far.
//
// Pure; one per instance, fed by the Supervisor. A row of failures counts when it is `threshold` long and has
// lasted for as long as that many checks take at their normal pace: before the first pass checks come more
// often, and that is no reason to lose patience sooner.
#pragma once

#include <cstdint>
#include <string>

#include "config/app_spec.h"

namespace clusterd {

// Between two checks before the first pass: a rollout waits for it.
inline constexpr Milliseconds kUnprovenHealthInterval{1'000};

struct HealthRecord {
  bool passed = false;   // once in this life
  bool failing = false;  // the row of failures counts
  int failures = 0;      // in a row
  Milliseconds failing_since{0};
  std::string note;  // what the last failed check met
};

enum class HealthChange : std::uint8_t {
  none,
  first_pass,  // it works
  recovered,   // it works again
  failed,      // said again at each further failure
};

HealthChange note_check(HealthRecord& record, const HealthCheck& health, bool passed, const std::string& note,
                        Milliseconds now);

Milliseconds next_check_in(const HealthCheck& health, bool passed_once);

// "health: http://:80/ answered 503 (3 times in a row)"
std::string failing_reason(const HealthRecord& record, const HealthCheck& health);

}  // namespace clusterd
