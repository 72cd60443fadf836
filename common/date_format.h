// format_date: a point in time as text, in the format language of Moment.js and Day.js, which PM2's
// `log_date_format` speaks.
//
// Pure; the caller knows the time zone. Tokens: YYYY YY MMMM MMM MM M Do DD D dddd ddd HH H hh h mm m ss s
// SSS SS S A a ZZ Z X x; [text] stands for itself, and so does everything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clusterd {

// One moment as clocks and calendars of some place show it.
struct LocalTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
  int weekday = 4;         // 0 is Sunday
  int offset_minutes = 0;  // east of UTC
  std::int64_t epoch_ms = 0;
};

std::string format_date(std::string_view format, const LocalTime& time);

// "2026-01-31T12:00:00.123Z" for milliseconds since 1970, whatever the time zone.
std::string iso_utc(std::int64_t epoch_ms);

}  // namespace clusterd
