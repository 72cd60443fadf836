#include "daemon/system/process_stats.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <limits>

using namespace clusterd;
using namespace std::chrono_literals;

namespace {

constexpr MonotonicTime kStart = 5'000s;

ProcessSample ticks(std::uint64_t count) { return {.cpu_ticks = count, .memory_bytes = 0, .start_ticks = 1}; }

CpuMeter meter_of_two_cpus() { return {kStart, 2, 100}; }

}  // namespace

TEST_CASE("a process samples itself") {
  const auto sample = sample_process(::getpid());
  REQUIRE(sample);
  CHECK(sample->memory_bytes > 100'000);
  CHECK(sample->start_ticks > 0);
  CHECK(ticks_per_second() > 0);

  const std::uint64_t before = sample->cpu_ticks;
  std::uint64_t now = before;
  while (now == before) now = sample_process(::getpid())->cpu_ticks;
  CHECK(now > before);
}

TEST_CASE("a process that is gone has no sample") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(sample_process(child));
}

TEST_CASE("a process may have any name") {
  const auto sample = parse_proc_stat(
      "42 (a) R 1 (b) S 1 42 42 0 -1 4194560 100 0 0 0 11 22 0 0 20 0 1 0 777 1000000 55 "
      "18446744073709551615 1\n",
      4096);
  REQUIRE(sample);
  CHECK(sample->cpu_ticks == 33);
  CHECK(sample->start_ticks == 777);
  CHECK(sample->memory_bytes == 55 * 4096);
}

TEST_CASE("a line that is cut short or nonsense is no sample") {
  for (const char* text : {"", "42", "42 (sh)", "42 (sh) S 1 2 3", "42 (sh) S 1 1 1 1 1 1 1 1 1 1 x y 1 1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_proc_stat(text, 4096));
  }
}

TEST_CASE("the first second of a life has no percentage") {
  CpuMeter meter = meter_of_two_cpus();
  CHECK_FALSE(meter.percent(ticks(90), kStart));
  CHECK_FALSE(meter.percent(ticks(90), kStart + 999ms));
  CHECK(meter.percent(ticks(50), kStart + 1s) == 50.0);
}

TEST_CASE("the percentage is that of the time since the previous measurement, with one decimal") {
  CpuMeter meter = meter_of_two_cpus();
  CHECK(meter.percent(ticks(100), kStart + 2s) == 50.0);
  CHECK(meter.percent(ticks(100), kStart + 4s) == 0.0);
  CHECK(meter.percent(ticks(101), kStart + 7s) == 0.3);
}

TEST_CASE("two pollers do not disturb each other's percentage") {
  CpuMeter meter = meter_of_two_cpus();
  REQUIRE(meter.percent(ticks(100), kStart + 2s) == 50.0);
  CHECK(meter.percent(ticks(149), kStart + 2s + 1ms) == 50.0);
  CHECK(meter.percent(ticks(149), kStart + 2s + 499ms) == 50.0);
  CHECK(meter.percent(ticks(150), kStart + 2s + 500ms) == 100.0);
}

TEST_CASE("the percentage stays between 0 and that of all CPUs, whatever the clock ticks say") {
  CpuMeter meter = meter_of_two_cpus();
  CHECK(meter.percent(ticks(1'000'000), kStart + 1s) == 200.0);
  CHECK(meter.percent(ticks(5), kStart + 2s) == 0.0);
  CHECK(meter.percent(ticks(std::numeric_limits<std::uint64_t>::max()), kStart + 3s) == 200.0);
}
