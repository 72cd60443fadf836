#include "common/rotated_log.h"

#include <catch2/catch.hpp>

using namespace clusterd;

TEST_CASE("rotated files are known by their names, and no others are") {
  const LocalTime time;
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

TEST_CASE("names tell which file was moved aside before which, compressed or not") {
  LocalTime time;
  const std::string first = rotated_name("x.log", time, 1);
  const std::string ninth = rotated_name("x.log", time, 9) + ".gz";
  const std::string tenth = rotated_name("x.log", time, 10);
  time.second = 1;
  const std::string later = rotated_name("x.log", time, 1) + ".zst";
  const std::vector<std::string> names{first, ninth, tenth, later};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) CHECK(rotated_before(names[i], names[j]) == (i < j));
  }
  CHECK_FALSE(rotated_before(first + ".gz", first));
  CHECK(std::string(without_compression(later)) + ".zst" == later);
  CHECK(ninth.starts_with(rotated_prefix("x.log")));
}

TEST_CASE("the newest is the one that was written last; the name decides within a moment") {
  const std::string first = rotated_name("x.log", LocalTime(), 1);
  const std::string second = rotated_name("x.log", LocalTime(), 2);
  std::vector<RotatedFile> files{{first, 1, 5}, {second, 1, 5}, {"x__2000-01-01_00-00-00.log", 1, 6}};
  sort_newest_first(files);
  CHECK(files[0].modified_ms == 6);
  CHECK(files[1].name == second);
}
