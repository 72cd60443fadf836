#include "common/time_stamp.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>

#include "common/date_format.h"
#include "common/local_time.h"

namespace clusterd {
namespace {

constexpr std::int64_t kTime = 1'790'000'000'045;  // 2026-09-21 14:13:20.045 UTC, a Monday

}  // namespace

TEST_CASE("a stamp without a zone is of the zone of the process") {
  setenv("TZ", "TST-05:30", 1);  // POSIX: east of Greenwich
  tzset();
  CHECK(format_date("HH:mm Z", local_time(kTime)) == "19:43 +05:30");
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
