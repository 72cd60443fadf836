// Times for people: wall-clock milliseconds -> text by a pattern in the tokens PM2's users know, and back.
//
// Pure but for the time zone of the process, which local_time() asks the C library for. Used by the CLI
// (`logs`, `why`) and by whatever stamps lines. Patterns: YYYY YY MM M DD D HH H hh h mm m ss s SSS SS S A a
// Z ZZ x X, the names MMMM MMM dddd ddd, and [text] as it stands; every other character stands for itself.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

inline constexpr std::size_t kTimePatternBytesMax = 128;

// A wall-clock instant as a calendar shows it somewhere.
struct CalendarTime {
  std::int64_t wall_ms = 0;  // since 1970-01-01 UTC
  std::tm fields{};
  int milliseconds = 0;
  int offset_minutes = 0;  // east of UTC
};

CalendarTime local_time(std::int64_t wall_ms);
CalendarTime utc_time(std::int64_t wall_ms);

std::string format_time(const CalendarTime& time, std::string_view pattern);

struct Stamp {
  std::int64_t wall_ms = 0;
  std::size_t size = 0;  // bytes of the text it took
};

// The time a text begins with: "2026-01-31T12:00:00.123Z", "2026-01-31 12:00:00,123 +01:00",
// "2026-01-31-12:00:00" and the like, ISO 8601 and its relatives; seconds and what follows may be missing.
// Without a zone it is local.
std::optional<Stamp> leading_stamp(std::string_view text);

}  // namespace clusterd
