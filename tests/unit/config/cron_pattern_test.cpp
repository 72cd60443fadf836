#include "config/cron_pattern.h"

#include <catch2/catch.hpp>
#include <string>

using namespace clusterd;

namespace {

std::string next(const std::string& text, const CivilTime& after) {
  const auto pattern = CronPattern::parse(text);
  if (!pattern) return pattern.error().message;
  const auto found = pattern->next(after);
  if (!found) return "never";
  char shown[32];
  std::snprintf(shown, sizeof shown, "%04d-%02d-%02d %02d:%02d:%02d", found->year, found->month, found->day,
                found->hour, found->minute, found->second);
  return shown;
}

constexpr CivilTime kNoon{2026, 3, 11, 12, 0, 0};  // a Wednesday

}  // namespace

TEST_CASE("five fields count minutes, six count seconds") {
  CHECK(next("* * * * *", kNoon) == "2026-03-11 12:01:00");
  CHECK(next("* * * * * *", kNoon) == "2026-03-11 12:00:01");
  CHECK(next("*/15 * * * * *", kNoon) == "2026-03-11 12:00:15");
  CHECK(next("30 4 * * *", kNoon) == "2026-03-12 04:30:00");
  CHECK(next("0 12 * * *", kNoon) == "2026-03-12 12:00:00");
  CHECK(next("0 0 1 jan *", kNoon) == "2027-01-01 00:00:00");
  CHECK(next("  0   13  * * * ", kNoon) == "2026-03-11 13:00:00");
}

TEST_CASE("lists, ranges, steps and names") {
  CHECK(next("5,10 12 * * *", {2026, 3, 11, 12, 5, 0}) == "2026-03-11 12:10:00");
  CHECK(next("10-12 * * * *", {2026, 3, 11, 12, 12, 0}) == "2026-03-11 13:10:00");
  CHECK(next("10-20/5 12 * * *", {2026, 3, 11, 12, 10, 0}) == "2026-03-11 12:15:00");
  CHECK(next("50/5 12 * * *", {2026, 3, 11, 12, 50, 0}) == "2026-03-11 12:55:00");
  CHECK(next("0 0 * * MON", kNoon) == "2026-03-16 00:00:00");
  CHECK(next("0 0 * * 7", kNoon) == "2026-03-15 00:00:00");
  CHECK(next("0 0 * feb-apr ?", kNoon) == "2026-03-12 00:00:00");
  CHECK(next("0 0 L * *", kNoon) == "2026-03-31 00:00:00");
  CHECK(next("0 0 L 2 *", kNoon) == "2027-02-28 00:00:00");
  CHECK(next("@daily", kNoon) == "2026-03-12 00:00:00");
}

TEST_CASE("a day restricted twice needs only one of them") {
  CHECK(next("0 0 13 * fri", kNoon) == "2026-03-13 00:00:00");
  CHECK(next("0 0 14 * fri", kNoon) == "2026-03-13 00:00:00");
  CHECK(next("0 0 12 * fri", kNoon) == "2026-03-12 00:00:00");
}

TEST_CASE("29 February comes when it comes") {
  CHECK(next("0 0 29 2 *", kNoon) == "2028-02-29 00:00:00");
  CHECK(next("0 0 29 2 *", {2096, 3, 1, 0, 0, 0}) == "2104-02-29 00:00:00");
}

TEST_CASE("what is no pattern is refused with the field that is wrong") {
  CHECK(next("* * *", kNoon).starts_with("has 3 fields"));
  CHECK(next("* * * * * * *", kNoon).starts_with("has 7 fields"));
  CHECK(next("61 * * * *", kNoon).starts_with("the minute \"61\""));
  CHECK(next("* 24 * * *", kNoon).starts_with("the hour \"24\""));
  CHECK(next("* * 0 * *", kNoon).starts_with("the day \"0\""));
  CHECK(next("* * * foo *", kNoon).starts_with("the month \"foo\""));
  CHECK(next("* * * * 8", kNoon).starts_with("the weekday \"8\""));
  CHECK(next("5-1 * * * *", kNoon).starts_with("the minute \"5-1\""));
  CHECK(next("*/0 * * * *", kNoon).starts_with("the minute \"*/0\""));
  CHECK(next("1,,2 * * * *", kNoon).starts_with("the minute \"\""));
  CHECK(next("0 0 30 2 *", kNoon) == "names a day that never comes");
  CHECK(next(std::string(600, '*'), kNoon).starts_with("is longer than"));
}
