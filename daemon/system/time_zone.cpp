#include "daemon/system/time_zone.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

namespace clusterd {

struct TimeZone::Impl {
  absl::TimeZone zone;
};

TimeZone::TimeZone(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TimeZone::~TimeZone() = default;

Result<std::shared_ptr<const TimeZone>> TimeZone::find(const std::string& name) {
  auto impl = std::make_unique<Impl>();
  const std::string_view plain = name.starts_with(':') ? std::string_view(name).substr(1) : name;
  if (!absl::LoadTimeZone({plain.data(), plain.size()}, &impl->zone)) {
    return fail(ErrorCode::config, "the time zone \"" + name.substr(0, 80) +
                                       "\" is not known here (is the package tzdata installed?)");
  }
  return std::shared_ptr<const TimeZone>(new TimeZone(std::move(impl)));
}

std::shared_ptr<const TimeZone> TimeZone::local() {
  auto impl = std::make_unique<Impl>();
  impl->zone = absl::LocalTimeZone();
  return std::shared_ptr<const TimeZone>(new TimeZone(std::move(impl)));
}

CivilTime TimeZone::civil(std::int64_t seconds) const {
  const absl::CivilSecond at = impl_->zone.At(absl::FromUnixSeconds(seconds)).cs;
  return {static_cast<int>(at.year()), at.month(), at.day(), at.hour(), at.minute(), at.second()};
}

ZoneRules::Moments TimeZone::moments(const CivilTime& civil) const {
  const absl::CivilSecond at(civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second);
  const absl::TimeZone::TimeInfo info = impl_->zone.At(at);
  switch (info.kind) {
    case absl::TimeZone::TimeInfo::UNIQUE:
      return {Moments::Kind::unique, absl::ToUnixSeconds(info.pre), 0};
    case absl::TimeZone::TimeInfo::SKIPPED:
      return {Moments::Kind::skipped, absl::ToUnixSeconds(info.trans), 0};
    case absl::TimeZone::TimeInfo::REPEATED:
      return {Moments::Kind::repeated, absl::ToUnixSeconds(info.pre), absl::ToUnixSeconds(info.post)};
  }
  return {};
}

std::string TimeZone::name() const { return impl_->zone.name(); }

std::string TimeZone::iso_text(std::int64_t seconds) const {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%S%Ez", absl::FromUnixSeconds(seconds), impl_->zone);
}

}  // namespace clusterd
