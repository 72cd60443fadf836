#include "daemon/core/rotation_rule.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using Interval = LogRotation::Interval;
using Names = std::vector<std::string>;

namespace {

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kDay = 24 * kHour;

LocalTime at(std::int64_t epoch_ms, int offset_minutes = 0) {
  LocalTime time;
  time.epoch_ms = epoch_ms;
  time.offset_minutes = offset_minutes;
  return time;
}

std::vector<RotatedFile> three() { return {{"b", 20, 2000}, {"c", 30, 3000}, {"a", 10, 1000}}; }

}  // namespace

TEST_CASE("periods change at the full hour, at midnight and on Monday, by the local clock") {
  CHECK(rotation_period(Interval::none, at(0)) == rotation_period(Interval::none, at(400 * kDay)));
  CHECK(rotation_period(Interval::hour, at(kHour - 1)) + 1 == rotation_period(Interval::hour, at(kHour)));
  CHECK(rotation_period(Interval::hour, at(kHour / 2 - 1, 30)) + 1 ==
        rotation_period(Interval::hour, at(kHour / 2, 30)));
  CHECK(rotation_period(Interval::day, at(kDay - 1)) + 1 == rotation_period(Interval::day, at(kDay)));
  CHECK(rotation_period(Interval::day, at(kDay - 1, -60)) == rotation_period(Interval::day, at(kDay, -60)));
  CHECK(rotation_period(Interval::day, at(-1)) + 1 == rotation_period(Interval::day, at(0)));
  const std::int64_t monday = 4 * kDay;  // 5 January 1970
  CHECK(rotation_period(Interval::week, at(monday - 1)) + 1 == rotation_period(Interval::week, at(monday)));
  CHECK(rotation_period(Interval::week, at(monday + 7 * kDay - 1)) ==
        rotation_period(Interval::week, at(monday)));
}

TEST_CASE("rotated files are known by their names, and no others are") {
  LocalTime time = at(0);
  const std::string first = rotated_name("web-out.log", time, 1);
  const std::string second = rotated_name("web-out.log", time, 2);
  CHECK(first == "web-out__1970-01-01_00-00-00.log");
  CHECK(second == "web-out__1970-01-01_00-00-00-2.log");
  for (const std::string& name : {first, second, first + ".gz", second + ".zst"}) {
    CHECK(is_rotated_name(name, "web-out.log"));
    CHECK(is_rotated_name(name, ""));
    CHECK_FALSE(is_rotated_name(name, "web-out-1.log"));
    CHECK_FALSE(is_rotated_name(name, "out.log"));
  }
  CHECK(is_rotated_name(rotated_name("plain", time, 3), "plain"));
  CHECK(is_rotated_name(rotated_name("a__b.log", time, 1), "a__b.log"));
  for (const char* name : {"web-out.log", "web-out__1970-01-01.log", "web-out__1970-01-01_00-00-00-.log",
                           "web-out__1970-01-01_00-00-00-x.log", "web-out__1970-01-01_00-00-00.log.gz.part",
                           "web-out__1970-01-01_00-00-00.log.1", "web-out__notes.log"})
    CHECK_FALSE(is_rotated_name(name, "web-out.log"));
  CHECK(is_compressed_name(first + ".gz"));
  CHECK_FALSE(is_compressed_name(first));
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
  const std::vector<RotatedFile> files{
      {"x-9.log.gz", 1, 5}, {"x-10.log", 1, 5}, {"x.log.gz", 1, 5}, {"x-2.log", 1, 5}};
  CHECK(expired_files(files, rotation, 5) == Names{"x-2.log", "x.log.gz"});
}

TEST_CASE("the brake takes the oldest, and no more than it has to") {
  CHECK(files_over_limit(three(), 100, 100).empty());
  CHECK(files_over_limit(three(), 100, 90) == Names{"a"});
  CHECK(files_over_limit(three(), 100, 89) == Names{"a", "b"});
  CHECK(files_over_limit(three(), 100, 1) == Names{"a", "b", "c"});
}
