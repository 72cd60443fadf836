#include "common/date_format.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace clusterd {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                "Thursday", "Friday", "Saturday"};
constexpr std::size_t kShortName = 3;

std::string digits(std::int64_t value, int width) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", width, static_cast<long long>(value));
  return text.data();
}

std::string offset_text(int minutes, std::string_view colon) {
  const int size = std::abs(minutes);
  return (minutes < 0 ? "-" : "+") + digits(size / 60, 2) + std::string(colon) + digits(size % 60, 2);
}

std::string ordinal(int day) {
  const bool teen = day >= 11 && day <= 13;
  const int last = day % 10;
  return std::to_string(day) + (teen || last == 0 || last > 3 ? "th"
                                : last == 1                   ? "st"
                                : last == 2                   ? "nd"
                                                              : "rd");
}

int hour_of_twelve(int hour) { return hour % 12 == 0 ? 12 : hour % 12; }

struct Token {
  std::string_view name;
  std::string (*text)(const LocalTime& time);
};

// Longer ones before those they begin with.
constexpr std::array kTokens{
    Token{"YYYY", [](const LocalTime& t) { return digits(t.year, 4); }},
    Token{"YY", [](const LocalTime& t) { return digits(t.year % 100, 2); }},
    Token{"MMMM", [](const LocalTime& t) { return std::string(kMonths.at(t.month - 1)); }},
    Token{"MMM",
          [](const LocalTime& t) { return std::string(kMonths.at(t.month - 1).substr(0, kShortName)); }},
    Token{"MM", [](const LocalTime& t) { return digits(t.month, 2); }},
    Token{"M", [](const LocalTime& t) { return digits(t.month, 1); }},
    Token{"Do", [](const LocalTime& t) { return ordinal(t.day); }},
    Token{"DD", [](const LocalTime& t) { return digits(t.day, 2); }},
    Token{"D", [](const LocalTime& t) { return digits(t.day, 1); }},
    Token{"dddd", [](const LocalTime& t) { return std::string(kDays.at(t.weekday)); }},
    Token{"ddd", [](const LocalTime& t) { return std::string(kDays.at(t.weekday).substr(0, kShortName)); }},
    Token{"HH", [](const LocalTime& t) { return digits(t.hour, 2); }},
    Token{"H", [](const LocalTime& t) { return digits(t.hour, 1); }},
    Token{"hh", [](const LocalTime& t) { return digits(hour_of_twelve(t.hour), 2); }},
    Token{"h", [](const LocalTime& t) { return digits(hour_of_twelve(t.hour), 1); }},
    Token{"mm", [](const LocalTime& t) { return digits(t.minute, 2); }},
    Token{"m", [](const LocalTime& t) { return digits(t.minute, 1); }},
    Token{"ss", [](const LocalTime& t) { return digits(t.second, 2); }},
    Token{"s", [](const LocalTime& t) { return digits(t.second, 1); }},
    Token{"SSS", [](const LocalTime& t) { return digits(t.millisecond, 3); }},
    Token{"SS", [](const LocalTime& t) { return digits(t.millisecond / 10, 2); }},
    Token{"S", [](const LocalTime& t) { return digits(t.millisecond / 100, 1); }},
    Token{"A", [](const LocalTime& t) { return std::string(t.hour < 12 ? "AM" : "PM"); }},
    Token{"a", [](const LocalTime& t) { return std::string(t.hour < 12 ? "am" : "pm"); }},
    Token{"ZZ", [](const LocalTime& t) { return offset_text(t.offset_minutes, ""); }},
    Token{"Z", [](const LocalTime& t) { return offset_text(t.offset_minutes, ":"); }},
    Token{"X", [](const LocalTime& t) { return std::to_string(t.epoch_ms / 1'000); }},
    Token{"x", [](const LocalTime& t) { return std::to_string(t.epoch_ms); }},
};

}  // namespace

std::string format_date(std::string_view format, const LocalTime& time) {
  std::string text;
  while (!format.empty()) {
    if (const std::size_t close = format.find(']'); format.front() == '[' && close != format.npos) {
      text += format.substr(1, close - 1);
      format.remove_prefix(close + 1);
      continue;
    }
    std::size_t used = 0;
    for (const Token& token : kTokens) {
      if (!format.starts_with(token.name)) continue;
      text += token.text(time);
      used = token.name.size();
      break;
    }
    if (used == 0) text += format.front();
    format.remove_prefix(used == 0 ? 1 : used);
  }
  return text;
}

std::string iso_utc(std::int64_t epoch_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> moment{milliseconds{epoch_ms}};
  const sys_days day = floor<days>(moment);
  const year_month_day date{day};
  const hh_mm_ss clock{moment - day};
  return digits(static_cast<int>(date.year()), 4) + "-" + digits(static_cast<unsigned>(date.month()), 2) +
         "-" + digits(static_cast<unsigned>(date.day()), 2) + "T" + digits(clock.hours().count(), 2) + ":" +
         digits(clock.minutes().count(), 2) + ":" + digits(clock.seconds().count(), 2) + "." +
         digits(clock.subseconds().count(), 3) + "Z";
}

}  // namespace clusterd
