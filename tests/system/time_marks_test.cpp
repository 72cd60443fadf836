#include "daemon/system/time_marks.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

constexpr MonotonicTime at(int ms) { return MonotonicTime(ms); }

}  // namespace

TEST_CASE("marks are bounded: the first and the latest stay, in between they get coarser") {
  TimeMarks marks;
  for (int i = 0; i < 100'000; ++i) {
    REQUIRE(marks.wants(at(i)));
    marks.note(static_cast<std::uint64_t>(i) * 10, at(i));
    REQUIRE(marks.marks().size() <= kTimeMarksMax);
  }
  const auto& list = marks.marks();
  CHECK(list.front() == TimeMark{0, at(0)});
  CHECK(list.back() == TimeMark{999'990, at(99'999)});
  CHECK(list[list.size() - 50] == TimeMark{999'990 - 490, at(99'999 - 49)});
  for (std::size_t i = 1; i < list.size(); ++i) CHECK(list[i - 1].offset < list[i].offset);
}

TEST_CASE("one mark a millisecond; a file that was emptied begins anew") {
  TimeMarks marks;
  marks.note(0, at(5));
  CHECK_FALSE(marks.wants(at(5)));
  CHECK(marks.wants(at(6)));
  marks.note(100, at(6));
  marks.note(100, at(9));  // what was to be written at 6 was dropped
  CHECK(marks.marks().back() == TimeMark{100, at(9)});
  marks.note(50, at(10));
  REQUIRE(marks.marks().size() == 1);
  CHECK(marks.marks().front() == TimeMark{50, at(10)});
}

}  // namespace clusterd
