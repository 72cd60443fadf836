#include "common/units.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using namespace std::chrono_literals;

TEST_CASE("durations have units, and a bare number is milliseconds") {
  CHECK(parse_duration("1600").value() == 1600ms);
  CHECK(parse_duration("0").value() == 0ms);
  CHECK(parse_duration("250ms").value() == 250ms);
  CHECK(parse_duration("30s").value() == 30s);
  CHECK(parse_duration("5m").value() == 5min);
  CHECK(parse_duration("1h").value() == 1h);
  CHECK(parse_duration("2d").value() == 48h);
  CHECK(parse_duration("007s").value() == 7s);
}

TEST_CASE("a duration that is not exact is refused, never rounded or cut") {
  for (const char* text :
       {"",     " ",    "s",   "ms", "-1",    "-5s",   "+5s",  "1.5s", "0.5", "1e3", "30 s",
        " 30s", "30s ", "30S", "5M", "30sec", "1h30m", "0x10", "∞",    "NaN", "3O"}) {
    INFO(text);
    const auto duration = parse_duration(text);
    REQUIRE_FALSE(duration);
    CHECK(duration.error().code == ErrorCode::usage);
    CHECK(duration.error().message.find("expected a duration") == 0);
  }
}

TEST_CASE("a duration can neither overflow nor exceed ten years") {
  CHECK(parse_duration("3650d").value() == kDurationMax);
  for (const char* text : {"3651d", "18446744073709551615", "18446744073709551615d", "9223372036854775807h",
                           "213503982334601d"}) {
    INFO(text);
    REQUIRE_FALSE(parse_duration(text));
    CHECK(parse_duration(text).error().message.ends_with("is longer than ten years"));
  }
  CHECK_FALSE(parse_duration("99999999999999999999999s"));
}

TEST_CASE("sizes have units of 1024, in any case") {
  CHECK(parse_size("1024").value() == 1024);
  CHECK(parse_size("0").value() == 0);
  CHECK(parse_size("17b").value() == 17);
  for (const char* text : {"200K", "200k", "200KB", "200kb", "200KiB", "200kib"})
    CHECK(parse_size(text).value() == 200 * 1024);
  CHECK(parse_size("200M").value() == 200u << 20);
  CHECK(parse_size("2G").value() == 2ull << 30);
  CHECK(parse_size("1TiB").value() == 1ull << 40);
  CHECK(parse_size("18446744073709551615").value() == 18446744073709551615ull);
}

TEST_CASE("a size that is not exact is refused") {
  for (const char* text : {"", "M", "-1", "1.5G", "10 M", "10X", "10iB", "10MBB", "10BB", "10Ki", "1e6",
                           "16777216T", "18446744073709551616", "18014398509481984K"}) {
    INFO(text);
    CHECK_FALSE(parse_size(text));
  }
  CHECK(parse_size("16777215T"));
}

TEST_CASE("short durations leave a unit at twice the next one") {
  CHECK(format_duration_short(-5s) == "0s");
  CHECK(format_duration_short(999ms) == "0s");
  CHECK(format_duration_short(15s) == "15s");
  CHECK(format_duration_short(119s) == "119s");
  CHECK(format_duration_short(120s) == "2m");
  CHECK(format_duration_short(119min + 59s) == "119m");
  CHECK(format_duration_short(2h) == "2h");
  CHECK(format_duration_short(47h) == "47h");
  CHECK(format_duration_short(4 * 24h) == "4D");
  CHECK(format_duration_short(59 * 24h) == "59D");
  CHECK(format_duration_short(60 * 24h) == "2M");
  CHECK(format_duration_short(730 * 24h) == "2Y");
  CHECK(format_duration_short(std::chrono::milliseconds::max()).ends_with("Y"));
}

TEST_CASE("sizes are shown with one decimal and never as 1024 of a unit") {
  CHECK(format_size(0) == "0b");
  CHECK(format_size(1023) == "1023b");
  CHECK(format_size(1024) == "1.0kb");
  CHECK(format_size(55155098) == "52.6mb");
  CHECK(format_size((1u << 20) - 1) == "1.0mb");
  CHECK(format_size(1ull << 30) == "1.0gb");
  CHECK(format_size(1ull << 40) == "1.0tb");
  CHECK(format_size(18446744073709551615ull) == "16777216.0tb");
}

TEST_CASE("an exact duration is taken back by the parser") {
  CHECK(format_duration_exact(0ms) == "0ms");
  CHECK(format_duration_exact(1600ms) == "1600ms");
  CHECK(format_duration_exact(30s) == "30s");
  CHECK(format_duration_exact(90s) == "90s");
  CHECK(format_duration_exact(2h) == "2h");
  for (const auto duration : {1ms, 1600ms, 61000ms, 3600000ms, 5400000ms}) {
    CHECK(parse_duration(format_duration_exact(duration)).value() == duration);
  }
}
