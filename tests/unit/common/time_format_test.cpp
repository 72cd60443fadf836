#include "common/time_format.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace clusterd {
namespace {

constexpr std::int64_t kTime = 1'790'000'000'045;  // 2026-09-21 14:13:20.045 UTC, a Monday

std::string utc(std::string_view pattern) { return format_time(utc_time(kTime), pattern); }

}  // namespace

TEST_CASE("tokens of a pattern") {
  CHECK(utc("YYYY-MM-DDTHH:mm:ss.SSSZ") == "2026-09-21T14:13:20.045+00:00");
  CHECK(utc("YY M D H h hh A a") == "26 9 21 14 2 02 PM pm");
  CHECK(utc("dddd ddd MMMM MMM ZZ S SS") == "Monday Mon September Sep +0000 0 04");
  CHECK(utc("x X [YYYY] [open") == "1790000000045 1790000000 YYYY [open");
  CHECK(format_time(utc_time(-1), "YYYY HH:mm:ss.SSS") == "1969 23:59:59.999");
}

TEST_CASE("local time is that of the process") {
  setenv("TZ", "XXX-05:30", 1);  // POSIX: east of Greenwich
  tzset();
  CHECK(format_time(local_time(kTime), "HH:mm Z") == "19:43 +05:30");
  CHECK(leading_stamp("2026-09-21 19:43:20.045 x")->wall_ms == kTime);
  unsetenv("TZ");
  tzset();
}

TEST_CASE("stamps at the beginning of a text") {
  CHECK(leading_stamp("2026-09-21T14:13:20.045Z rest")->wall_ms == kTime);
  CHECK(leading_stamp("2026-09-21T14:13:20.045Z rest")->size == 24);
  CHECK(leading_stamp("2026/09/21 16:13:20,045 +0200: x")->wall_ms == kTime);
  CHECK(leading_stamp("[2026-09-21-14:13:20.045678Z]")->wall_ms == kTime);
  CHECK(leading_stamp("2026-09-21 14:13Z")->wall_ms == kTime - 20'045);
  CHECK(leading_stamp("2026-09-21 14:13:20Z: hello")->size == 20);
  CHECK(leading_stamp("2026-09-21 14:13:20 - message")->size == 19);
  for (const char* text :
       {"", "2026", "2026-13-01 00:00", "2026-01-01", "20260101T0000", "x2026-01-01 00:00"}) {
    INFO(text);
    CHECK_FALSE(leading_stamp(text));
  }
}

}  // namespace clusterd
