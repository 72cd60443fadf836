#include "daemon/core/memory_rule.h"

#include <catch2/catch.hpp>

namespace clusterd {

using std::chrono::milliseconds;

TEST_CASE("what is unknown is no reason") {
  CHECK_FALSE(may_exceed(100, std::nullopt));
  CHECK_FALSE(exceeds(100, std::nullopt, std::nullopt));
  CHECK_FALSE(exceeds(100, std::nullopt, 500));
}

TEST_CASE("shared memory counts once where that can be seen") {
  CHECK_FALSE(exceeds(100, 100, std::nullopt));
  CHECK(exceeds(100, 101, std::nullopt));
  CHECK_FALSE(exceeds(100, 400, 90));
  CHECK(exceeds(100, 400, 120));
}

TEST_CASE("an app that is above its limit from the start is replaced more and more seldom") {
  MemoryRecord record;
  CHECK(memory_patience(record) == milliseconds{0});
  milliseconds last{0};
  for (int i = 0; i < 12; ++i) {
    note_replacement(record, memory_patience(record) + milliseconds{5'000});
    CHECK(memory_patience(record) >= last);
    last = memory_patience(record);
  }
  CHECK(last == kMemoryPauseMax);
  note_replacement(record, last + milliseconds{3'600'000});
  CHECK(memory_patience(record) == milliseconds{0});
}

TEST_CASE("the reason names both numbers") {
  CHECK(memory_reason(120U << 20, 100U << 20) == "memory: 120.0mb is above max_memory_restart (100.0mb)");
}

}  // namespace clusterd
