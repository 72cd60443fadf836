// CronPattern: "30 4 * * 1-5" -> which civil times it means.
//
// Pure. Used by config to check `cron_restart`, and by daemon/core/cron_schedule, which knows about time
// zones. Five fields (minute hour day month weekday) or six (second first). Each: *, ?, numbers, ranges,
// lists, steps; names of months and weekdays; 7 is Sunday, too; L is the last day of the month. As in
// crontab(5), a day that is restricted both by day and by weekday needs only one of them. Also @yearly
// @monthly @weekly @daily @hourly.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

#include "common/civil_time.h"
#include "common/result.h"

namespace clusterd {

inline constexpr std::size_t kCronBytesMax = 512;
inline constexpr int kCronYearsAhead = 40;  // 29 February on a given weekday, across 2100

class CronPattern {
 public:
  // Also refuses what never happens, such as 30 February.
  static Result<CronPattern> parse(std::string_view text);

  // The first match later than `after`, in civil time; within kCronYearsAhead.
  std::optional<CivilTime> next(const CivilTime& after) const;

  bool every_hour() const { return hours_.all(); }

 private:
  CronPattern() = default;
  bool matches_day(int year, int month, int day) const;
  std::optional<CivilTime> next_of_day(const CivilTime& after) const;

  std::bitset<60> seconds_;
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;     // from 1
  std::bitset<13> months_;   // from 1
  std::bitset<8> weekdays_;  // 0 is Sunday
  bool last_day_ = false;
  bool any_day_ = false;
  bool any_weekday_ = false;
};

}  // namespace clusterd
