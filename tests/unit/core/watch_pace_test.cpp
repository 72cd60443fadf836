#include "daemon/core/watch_pace.h"

#include <catch2/catch.hpp>

namespace clusterd {

constexpr Pause kDelay{200};

TEST_CASE("many changes are one restart, after quiet") {
  WatchPace pace;
  CHECK_FALSE(pace.due(kDelay));
  pace.note_change("a.js", Pause{1'000});
  CHECK(pace.due(kDelay) == Pause{1'200});
  pace.note_change("b.js", Pause{1'150});
  CHECK(pace.due(kDelay) == Pause{1'350});
  CHECK(pace.take(Pause{1'350}) == "a.js changed (and 1 more change)");
  CHECK_FALSE(pace.due(kDelay));
  CHECK_FALSE(pace.held_back());
}

TEST_CASE("changes that never end are obeyed all the same") {
  WatchPace pace;
  for (int i = 0; i < 1'000; ++i) pace.note_change("log", Pause{i * 100});
  CHECK(pace.due(kDelay) == kWatchHoldMax);
}

TEST_CASE("a loop of restarts is slowed down, and ends with quiet") {
  WatchPace pace;
  Pause now{0};
  Pause longest{0};
  for (int i = 0; i < 20; ++i) {
    pace.note_change("state.json", now);
    const Pause due = pace.due(kDelay).value();
    longest = std::max(longest, due - now);
    now = due;
    pace.take(now);
    CHECK(pace.held_back() == (i >= kWatchQuickRestartsFree));
  }
  CHECK(longest > Pause{30'000});
  CHECK(longest <= kWatchPauseMax);
  now += Pause{200'000};
  pace.note_change("state.json", now);
  CHECK(pace.due(kDelay) == now + kDelay);
  pace.take(now);
  CHECK_FALSE(pace.held_back());
}

}  // namespace clusterd
