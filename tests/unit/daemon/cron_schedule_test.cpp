// In the glue's suite, because it needs real zones.
#include "daemon/core/cron_schedule.h"

#include <catch2/catch.hpp>
#include <vector>

#include "daemon/system/time_zone.h"

namespace clusterd {
namespace {

struct Place {
  std::shared_ptr<const TimeZone> zone;
  explicit Place(const std::string& name) : zone(TimeZone::find(name).value()) {}

  // The next `count` times after this one.
  std::vector<std::string> times(const std::string& pattern, const CivilTime& after, int count) const {
    const auto parsed = CronPattern::parse(pattern).value();
    std::vector<std::string> shown;
    std::int64_t at = zone->moments(after).first;
    for (int i = 0; i < count; ++i) {
      at = next_fire(parsed, *zone, at).value();
      shown.push_back(zone->iso_text(at).substr(5));
    }
    return shown;
  }
};

using Times = std::vector<std::string>;

}  // namespace

// 2026: Berlin goes forward on 29 March at 02:00, back on 25 October at 03:00; New York on 8 March and 1
// November.

TEST_CASE("a time that is skipped comes once, at the first moment after") {
  const Place berlin("Europe/Berlin");
  CHECK(berlin.times("30 2 * * *", {2026, 3, 28, 0, 0, 0}, 3) ==
        Times{"03-28T02:30:00+01:00", "03-29T03:00:00+02:00", "03-30T02:30:00+02:00"});
  CHECK(berlin.times("0,15,30 2 * * *", {2026, 3, 29, 0, 0, 0}, 2) ==
        Times{"03-29T03:00:00+02:00", "03-30T02:00:00+02:00"});
  CHECK(berlin.times("30 2,3 * * *", {2026, 3, 29, 0, 0, 0}, 3) ==
        Times{"03-29T03:00:00+02:00", "03-29T03:30:00+02:00", "03-30T02:30:00+02:00"});
  const Place new_york("America/New_York");
  CHECK(new_york.times("30 2 * * *", {2026, 3, 8, 0, 0, 0}, 2) ==
        Times{"03-08T03:00:00-04:00", "03-09T02:30:00-04:00"});
}

TEST_CASE("a time that comes twice is taken the first time") {
  const Place berlin("Europe/Berlin");
  CHECK(berlin.times("30 2 * * *", {2026, 10, 24, 12, 0, 0}, 2) ==
        Times{"10-25T02:30:00+02:00", "10-26T02:30:00+01:00"});
  CHECK(berlin.times("0 */2 * * *", {2026, 10, 25, 0, 0, 0}, 2) ==
        Times{"10-25T02:00:00+02:00", "10-25T04:00:00+01:00"});
  const Place new_york("America/New_York");
  CHECK(new_york.times("30 1 * * *", {2026, 11, 1, 0, 0, 0}, 2) ==
        Times{"11-01T01:30:00-04:00", "11-02T01:30:00-05:00"});
}

TEST_CASE("what runs every hour goes on through both") {
  const Place berlin("Europe/Berlin");
  CHECK(
      berlin.times("30 * * * *", {2026, 10, 25, 1, 0, 0}, 4) ==
      Times{"10-25T01:30:00+02:00", "10-25T02:30:00+02:00", "10-25T02:30:00+01:00", "10-25T03:30:00+01:00"});
  CHECK(berlin.times("30 * * * *", {2026, 3, 29, 1, 0, 0}, 3) ==
        Times{"03-29T01:30:00+01:00", "03-29T03:30:00+02:00", "03-29T04:30:00+02:00"});
  CHECK(berlin.times("*/30 * * * *", {2026, 10, 25, 2, 0, 0}, 5) ==
        Times{"10-25T02:30:00+02:00", "10-25T02:00:00+01:00", "10-25T02:30:00+01:00", "10-25T03:00:00+01:00",
              "10-25T03:30:00+01:00"});
}

TEST_CASE("six fields, and a zone without changes") {
  const Place utc("UTC");
  CHECK(utc.times("*/20 59 23 31 12 *", {2026, 12, 31, 23, 59, 0}, 3) ==
        Times{"12-31T23:59:20+00:00", "12-31T23:59:40+00:00", "12-31T23:59:00+00:00"});
}

TEST_CASE("an unknown zone is refused by name") {
  const auto zone = TimeZone::find("Europe/Atlantis");
  REQUIRE_FALSE(zone);
  CHECK(zone.error().message.find("Europe/Atlantis") != std::string::npos);
}

namespace {

struct Clock {
  Place utc{"UTC"};
  CronSchedule schedule{CronPattern::parse("0 * * * *").value()};
  static constexpr std::int64_t kHour = 3'600;
  static constexpr std::int64_t kStart = 1'000 * kHour;  // on the hour

  bool at(std::int64_t seconds) { return schedule.wake(*utc.zone, kStart + seconds); }
  std::int64_t due() const { return *schedule.due() - kStart; }
};

}  // namespace

TEST_CASE("a timer that comes early does not fire twice") {
  Clock clock;
  CHECK_FALSE(clock.at(10));
  CHECK(clock.due() == Clock::kHour);
  CHECK_FALSE(clock.at(Clock::kHour - 1));
  CHECK(clock.at(Clock::kHour));
  CHECK_FALSE(clock.at(Clock::kHour));
  CHECK(clock.due() == 2 * Clock::kHour);
}

TEST_CASE("a clock put forward makes up for what it has skipped once") {
  Clock clock;
  clock.at(10);
  CHECK(clock.at(100 * Clock::kHour + 10));
  CHECK(clock.due() == 101 * Clock::kHour);
}

TEST_CASE("a clock put back a little does not run again what has run") {
  Clock clock;
  clock.at(10);
  CHECK(clock.at(Clock::kHour));
  CHECK_FALSE(clock.at(1'800));
  CHECK(clock.due() == 2 * Clock::kHour);
}

TEST_CASE("a clock put back by much was wrong before") {
  Clock clock;
  clock.at(10);
  CHECK(clock.at(1'000 * Clock::kHour));
  CHECK_FALSE(clock.at(10 * Clock::kHour + 5));
  CHECK(clock.due() == 11 * Clock::kHour);
}

}  // namespace clusterd
