#include "daemon/core/restart_policy.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

AppSpec spec_with_delay(int base_ms, int cap_ms) {
  AppSpec spec;
  spec.exp_backoff_restart_delay = Milliseconds(base_ms);
  spec.exp_backoff_max = Milliseconds(cap_ms);
  return spec;
}

}  // namespace

TEST_CASE("delays grow by half each time, up to the cap") {
  const AppSpec spec = spec_with_delay(100, 15'000);
  CHECK(restart_delay(spec, 1, 0).count() == 100);
  CHECK(restart_delay(spec, 2, 0).count() == 150);
  CHECK(restart_delay(spec, 3, 0).count() == 225);
  CHECK(restart_delay(spec, 13, 0).count() == 12'974);
  CHECK(restart_delay(spec, 14, 0).count() == 15'000);
  CHECK(restart_delay(spec, 1'000'000, 1.0).count() == 15'000);
}

TEST_CASE("jitter moves a growing delay by a tenth at most, never beyond the cap") {
  const AppSpec spec = spec_with_delay(1'000, 60'000);
  CHECK(restart_delay(spec, 1, -1.0).count() == 900);
  CHECK(restart_delay(spec, 1, 1.0).count() == 1'100);
  CHECK(restart_delay(spec, 99, 1.0).count() == 60'000);
  CHECK(restart_delay(spec, 1, 25.0).count() == 1'100);
}

TEST_CASE("a delay of zero is no tight loop") {
  CHECK(restart_delay(spec_with_delay(0, 15'000), 1, 0).count() == 100);
  CHECK(restart_delay(spec_with_delay(0, 0), 5, 0).count() > 0);
}

TEST_CASE("a fixed restart_delay is used as it is") {
  AppSpec spec;
  spec.restart_delay = Milliseconds(3'000);
  CHECK(restart_delay(spec, 1, 1.0).count() == 3'000);
  CHECK(restart_delay(spec, 9, -1.0).count() == 3'000);
}

TEST_CASE("an ordered end is an end, however the process died") {
  const AppSpec spec;
  CHECK(classify_exit(spec, {Goal::down, true, true, 0, 1}) == Trigger::ended);
  CHECK(classify_exit(spec, {Goal::down, false, false, 0, {}}) == Trigger::ended);
}

TEST_CASE("a program that cannot be executed is not tried again") {
  CHECK(classify_exit(AppSpec{}, {Goal::up, false, false, 0, 127}) == Trigger::launch_failed);
}

TEST_CASE("crashes after a stable life start again at once, others wait") {
  AppSpec spec;
  CHECK(classify_exit(spec, {Goal::up, true, true, 0, 1}) == Trigger::crashed_stable);
  CHECK(classify_exit(spec, {Goal::up, true, false, 0, 0}) == Trigger::crashed_unstable);
  spec.restart_delay = Milliseconds(10);
  CHECK(classify_exit(spec, {Goal::up, true, true, 0, 1}) == Trigger::crashed_delayed);
}

TEST_CASE("autorestart and stop_exit_codes end the story, signals are no exit codes") {
  AppSpec spec;
  spec.stop_exit_codes = {0, 3};
  CHECK(classify_exit(spec, {Goal::up, true, true, 0, 0}) == Trigger::ended);
  CHECK(classify_exit(spec, {Goal::up, true, false, 0, 3}) == Trigger::ended);
  CHECK(classify_exit(spec, {Goal::up, true, false, 0, 4}) == Trigger::crashed_unstable);
  CHECK(classify_exit(spec, {Goal::up, true, false, 0, {}}) == Trigger::crashed_unstable);
  spec.autorestart = false;
  CHECK(classify_exit(spec, {Goal::up, true, false, 0, 4}) == Trigger::ended);
}

TEST_CASE("max_restarts counts unstable lives in a row") {
  AppSpec spec;
  spec.max_restarts = 3;
  CHECK(classify_exit(spec, {Goal::up, true, false, 1, 1}) == Trigger::crashed_unstable);
  CHECK(classify_exit(spec, {Goal::up, true, false, 2, 1}) == Trigger::gave_up);
  CHECK(classify_exit(spec, {Goal::up, true, true, 3, 1}) == Trigger::crashed_stable);
  spec.max_restarts.reset();
  CHECK(classify_exit(spec, {Goal::up, true, false, 1'000'000, 1}) == Trigger::crashed_unstable);
}

}  // namespace clusterd
