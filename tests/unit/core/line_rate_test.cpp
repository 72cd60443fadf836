#include "daemon/core/line_rate.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using namespace std::chrono_literals;

TEST_CASE("so many lines pass in a second, the rest is counted") {
  LineRate rate(2);
  CHECK_FALSE(rate.turn_to(5000ms));
  CHECK(rate.admit());
  CHECK(rate.admit());
  CHECK_FALSE(rate.admit());
  CHECK_FALSE(rate.turn_to(5999ms));
  CHECK_FALSE(rate.admit());
  CHECK(rate.turn_to(6000ms));
  CHECK(rate.take_dropped() == 2);
  CHECK(rate.admit());
  CHECK_FALSE(rate.has_dropped());
  CHECK_FALSE(rate.turn_to(8000ms));
}
