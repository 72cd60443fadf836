// CivilTime and ZoneRules: what clocks on walls show, and how a time zone maps it to seconds since 1970.
//
// CivilTime is pure, and in no zone. ZoneRules is implemented by daemon/system/time_zone with the system's
// zone files, and by tests with rules of their own; cron patterns are evaluated with both.
#pragma once

#include <compare>
#include <cstdint>

namespace clusterd {

struct CivilTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;

  auto operator<=>(const CivilTime&) const = default;
};

class ZoneRules {
 public:
  // When a civil time happens. skipped (clocks are put forward over it): `first` is the moment of the change.
  // repeated (clocks are put back over it): `first` and `second`.
  struct Moments {
    enum class Kind : std::uint8_t { unique, skipped, repeated };
    Kind kind = Kind::unique;
    std::int64_t first = 0;  // seconds since 1970-01-01 00:00 UTC
    std::int64_t second = 0;
  };

  virtual ~ZoneRules() = default;
  virtual CivilTime civil(std::int64_t seconds) const = 0;
  virtual Moments moments(const CivilTime& civil) const = 0;
};

}  // namespace clusterd
