// When a row of failed checks counts, and when it is over.
#include "daemon/core/health_record.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

struct Checked {
  HealthCheck health{parse_probe("http://:80/").value(), Milliseconds{1'000}, Milliseconds{500}, 3};
  HealthRecord record;
  HealthChange check(bool passed, int at) {
    return note_check(record, health, passed, "answered 503", Milliseconds{at});
  }
};

}  // namespace

TEST_CASE("a row of failures counts when it is long enough, and a pass ends it") {
  Checked one;
  CHECK(one.check(true, 0) == HealthChange::first_pass);
  CHECK(one.check(true, 1'000) == HealthChange::none);
  CHECK(one.check(false, 2'000) == HealthChange::none);
  CHECK(one.check(false, 3'000) == HealthChange::none);
  CHECK(one.check(true, 4'000) == HealthChange::none);
  CHECK(one.check(false, 5'000) == HealthChange::none);
  CHECK(one.check(false, 6'000) == HealthChange::none);
  CHECK(one.check(false, 7'000) == HealthChange::failed);
  CHECK(one.check(false, 8'000) == HealthChange::failed);
  CHECK(failing_reason(one.record, one.health) == "health: http://:80/ answered 503 (4 times in a row)");
  CHECK(one.check(true, 9'000) == HealthChange::recovered);
  CHECK(one.check(true, 10'000) == HealthChange::none);
}

TEST_CASE("the quick checks before the first pass do not use up the patience") {
  Checked one;
  for (int at = 0; at < 2'000; at += 100) CHECK(one.check(false, at) == HealthChange::none);
  CHECK(one.check(false, 2'000) == HealthChange::failed);
  CHECK(next_check_in(one.health, false) == Milliseconds{1'000});
  one.health.interval = Milliseconds{10'000};
  CHECK(next_check_in(one.health, false) == kUnprovenHealthInterval);
  CHECK(next_check_in(one.health, true) == Milliseconds{10'000});
}

TEST_CASE("with a threshold of one the first failure counts") {
  Checked one;
  one.health.threshold = 1;
  CHECK(one.check(false, 5) == HealthChange::failed);
  CHECK(failing_reason(one.record, one.health).ends_with("(1 time)"));
}

}  // namespace clusterd
