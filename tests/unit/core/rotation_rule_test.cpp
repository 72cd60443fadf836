#include "daemon/core/rotation_rule.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using Interval = LogRotation::Interval;
using Names = std::vector<std::string>;

namespace {

std::vector<RotatedFile> three() { return {{"b", 20, 2000}, {"c", 30, 3000}, {"a", 10, 1000}}; }

}  // namespace

TEST_CASE("logs are moved aside at the full hour, at midnight, on Monday, or when a cron pattern says so") {
  const auto next = [](Interval interval, const CivilTime& after, const char* cron = "") {
    LogRotation rotation;
    rotation.interval = interval;
    rotation.cron = cron;
    return rotation_pattern(rotation)->next(after);
  };
  const CivilTime sunday{2026, 2, 1, 22, 59, 59};
  CHECK(next(Interval::hour, sunday) == CivilTime{2026, 2, 1, 23, 0, 0});
  CHECK(next(Interval::day, sunday) == CivilTime{2026, 2, 2, 0, 0, 0});
  CHECK(next(Interval::day, CivilTime{2026, 2, 2, 0, 0, 0}) == CivilTime{2026, 2, 3, 0, 0, 0});
  CHECK(next(Interval::week, sunday) == CivilTime{2026, 2, 2, 0, 0, 0});
  CHECK(next(Interval::week, CivilTime{2026, 2, 2, 0, 0, 0}) == CivilTime{2026, 2, 9, 0, 0, 0});
  CHECK(next(Interval::cron, sunday, "30 4 1 * *") == CivilTime{2026, 3, 1, 4, 30, 0});
  CHECK_FALSE(rotation_pattern(LogRotation{}));
}

TEST_CASE("the newest files stay: so many, so much, so long") {
  LogRotation rotation;
  rotation.keep = 2;
  CHECK(expired_files(three(), rotation, 3000) == Names{"a"});
  rotation.keep = 0;
  CHECK(expired_files(three(), rotation, 3000) == Names{"c", "b", "a"});
  rotation.keep = 10;
  CHECK(expired_files(three(), rotation, 3000).empty());
  rotation.total = 40;
  CHECK(expired_files(three(), rotation, 3000) == Names{"b"});
  rotation.total = 0;
  rotation.age = std::chrono::milliseconds{1500};
  CHECK(expired_files(three(), rotation, 4000) == Names{"b", "a"});
}

TEST_CASE("of several files of one moment the higher number is the newer one") {
  LogRotation rotation;
  rotation.keep = 2;
  const std::vector<RotatedFile> files{{"x__2026-01-31_23-59-59-9.log.gz", 1, 5},
                                       {"x__2026-01-31_23-59-59-10.log", 1, 5},
                                       {"x__2026-01-31_23-59-59.log.gz", 1, 5},
                                       {"x__2026-01-31_23-59-59-2.log", 1, 5}};
  CHECK(expired_files(files, rotation, 5) ==
        Names{"x__2026-01-31_23-59-59-2.log", "x__2026-01-31_23-59-59.log.gz"});
}

TEST_CASE("the brake takes the oldest, and no more than it has to") {
  CHECK(files_over_limit(three(), 100, 100).empty());
  CHECK(files_over_limit(three(), 100, 90) == Names{"a"});
  CHECK(files_over_limit(three(), 100, 89) == Names{"a", "b"});
  CHECK(files_over_limit(three(), 100, 1) == Names{"a", "b", "c"});
}
