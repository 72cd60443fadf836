// TimeZone: the ZoneRules of the system's zone files (/usr/share/zoneinfo).
//
// Used by daemon/cron_zone. Reads the file once and keeps it; a zone that is updated on disk counts from
// the next start of the daemon. Behind it is Abseil's reader (docs/decisions/0015-time-and-files.md).
#pragma once

#include <memory>
#include <string>

#include "common/civil_time.h"
#include "common/result.h"

namespace clusterd {

class TimeZone final : public ZoneRules {
 public:
  static Result<std::shared_ptr<const TimeZone>> find(const std::string& name);
  static std::shared_ptr<const TimeZone> local();  // by TZ or /etc/localtime; UTC where there is neither
  ~TimeZone() override;

  CivilTime civil(std::int64_t seconds) const override;
  Moments moments(const CivilTime& civil) const override;
  std::string name() const;
  std::string iso_text(std::int64_t seconds) const;  // "2026-03-29T03:00:00+02:00"

 private:
  struct Impl;
  explicit TimeZone(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterd
