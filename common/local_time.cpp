#include "common/local_time.h"

#include <ctime>

namespace clusterd {

LocalTime local_time(std::int64_t epoch_ms) {
  const std::time_t seconds = epoch_ms / 1'000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  LocalTime time;
  time.year = parts.tm_year + 1900;
  time.month = parts.tm_mon + 1;
  time.day = parts.tm_mday;
  time.hour = parts.tm_hour;
  time.minute = parts.tm_min;
  time.second = parts.tm_sec;
  time.millisecond = static_cast<int>(epoch_ms % 1'000);
  time.weekday = parts.tm_wday;
  time.offset_minutes = static_cast<int>(parts.tm_gmtoff / 60);
  time.epoch_ms = epoch_ms;
  return time;
}

}  // namespace clusterd
