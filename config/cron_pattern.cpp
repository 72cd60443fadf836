#include "config/cron_pattern.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <vector>

namespace clusterd {
namespace {

struct FieldRule {
  std::string_view name;
  int min;
  int max;
  std::string_view names;  // of min, min + 1, ...: three letters each
};

constexpr FieldRule kSecond{"second", 0, 59, ""};
constexpr FieldRule kMinute{"minute", 0, 59, ""};
constexpr FieldRule kHour{"hour", 0, 23, ""};
constexpr FieldRule kDay{"day", 1, 31, ""};
constexpr FieldRule kMonth{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"};
constexpr FieldRule kWeekday{"weekday", 0, 7, "sunmontuewedthufrisat"};

struct Nickname {
  std::string_view name;
  std::string_view pattern;
};
constexpr std::array kNicknames{Nickname{"@yearly", "0 0 1 1 *"},  Nickname{"@annually", "0 0 1 1 *"},
                                Nickname{"@monthly", "0 0 1 * *"}, Nickname{"@weekly", "0 0 * * 0"},
                                Nickname{"@daily", "0 0 * * *"},   Nickname{"@midnight", "0 0 * * *"},
                                Nickname{"@hourly", "0 * * * *"}};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int> number_of(std::string_view text, const FieldRule& rule) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && rest == text.data() + text.size() && number >= rule.min && number <= rule.max)
    return number;
  if (text.size() != 3) return std::nullopt;
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (std::size_t at = 0; at < rule.names.size(); at += 3) {
    if (rule.names.substr(at, 3) == lower) return rule.min + static_cast<int>(at / 3);
  }
  return std::nullopt;
}

std::unexpected<Error> bad_field(const FieldRule& rule, std::string_view part) {
  return fail(ErrorCode::config, "the " + std::string(rule.name) + " \"" + std::string(part.substr(0, 40)) +
                                     "\" is not understood: it is *, a number from " +
                                     std::to_string(rule.min) + " to " + std::to_string(rule.max) +
                                     ", a range such as 1-5, a list such as 1,3 or a step such as */2");
}

bool is_any(std::string_view text) { return text == "*" || text == "?"; }

// One of the parts between commas.
template <std::size_t N>
Result<> read_part(std::string_view part, const FieldRule& rule, std::bitset<N>& bits) {
  const std::size_t slash = part.find('/');
  const std::string_view base = part.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const auto given = number_of(part.substr(slash + 1), {rule.name, 1, rule.max, ""});
    if (!given) return bad_field(rule, part);
    step = *given;
  }
  std::optional<int> first = rule.min;
  std::optional<int> last = rule.max;
  if (!is_any(base)) {
    const std::size_t dash = base.find('-');
    first = number_of(base.substr(0, dash), rule);
    if (dash != std::string_view::npos) {
      last = number_of(base.substr(dash + 1), rule);
    } else if (slash == std::string_view::npos) {
      last = first;
    }
  }
  if (!first || !last || *first > *last) return bad_field(rule, part);
  for (int value = *first; value <= *last; value += step) bits.set(static_cast<std::size_t>(value));
  return {};
}

template <std::size_t N>
Result<> read_field(std::string_view text, const FieldRule& rule, std::bitset<N>& bits) {
  for (const std::string_view part : split(text, ",")) {
    if (auto read = read_part(part, rule, bits); !read) return read;
  }
  return {};
}

}  // namespace

Result<CronPattern> CronPattern::parse(std::string_view text) {
  if (text.size() > kCronBytesMax)
    return fail(ErrorCode::config, "is longer than " + std::to_string(kCronBytesMax) + " bytes");
  const auto nickname = std::ranges::find(kNicknames, text, &Nickname::name);
  std::vector<std::string_view> fields =
      split(nickname == kNicknames.end() ? text : nickname->pattern, " \t");
  std::erase(fields, std::string_view{});
  if (fields.size() != 5 && fields.size() != 6) {
    return fail(ErrorCode::config,
                "has " + std::to_string(fields.size()) +
                    " fields; five are needed (minute hour day month weekday), or six with "
                    "the second first");
  }
  CronPattern pattern;
  if (fields.size() == 5) fields.insert(fields.begin(), "0");
  pattern.any_day_ = is_any(fields[3]);
  pattern.any_weekday_ = is_any(fields[5]);
  pattern.last_day_ = fields[3] == "L";
  for (const Result<>& read :
       {read_field(fields[0], kSecond, pattern.seconds_), read_field(fields[1], kMinute, pattern.minutes_),
        read_field(fields[2], kHour, pattern.hours_),
        pattern.last_day_ ? Result<>{} : read_field(fields[3], kDay, pattern.days_),
        read_field(fields[4], kMonth, pattern.months_), read_field(fields[5], kWeekday, pattern.weekdays_)}) {
    if (!read) return fail(read.error());
  }
  if (pattern.weekdays_[7]) pattern.weekdays_.set(0);
  if (!pattern.next({2024, 1, 1, 0, 0, 0})) return fail(ErrorCode::config, "names a day that never comes");
  return pattern;
}

bool CronPattern::matches_day(int year, int month, int day) const {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!months_[static_cast<std::size_t>(month)]) return false;
  const bool last = last_day_ && year_month_day{sys_days{date} + days{1}}.day() == std::chrono::day{1};
  const bool by_day = last || days_[static_cast<std::size_t>(day)];
  const bool by_weekday = weekdays_[weekday{sys_days{date}}.c_encoding()];
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<CivilTime> CronPattern::next_of_day(const CivilTime& after) const {
  for (int hour = after.hour; hour < 24; ++hour) {
    if (!hours_[static_cast<std::size_t>(hour)]) continue;
    const bool same_hour = hour == after.hour;
    for (int minute = same_hour ? after.minute : 0; minute < 60; ++minute) {
      if (!minutes_[static_cast<std::size_t>(minute)]) continue;
      const bool same_minute = same_hour && minute == after.minute;
      for (int second = same_minute ? after.second + 1 : 0; second < 60; ++second) {
        if (seconds_[static_cast<std::size_t>(second)])
          return CivilTime{after.year, after.month, after.day, hour, minute, second};
      }
    }
  }
  return std::nullopt;
}

std::optional<CivilTime> CronPattern::next(const CivilTime& after) const {
  using namespace std::chrono;
  if (matches_day(after.year, after.month, after.day)) {
    if (auto found = next_of_day(after)) return found;
  }
  sys_days date = sys_days{std::chrono::year{after.year} / static_cast<unsigned>(after.month) /
                           static_cast<unsigned>(after.day)};
  for (int ahead = 0; ahead < kCronYearsAhead * 366; ++ahead) {
    date += days{1};
    const year_month_day day{date};
    const CivilTime before{int{day.year()},
                           static_cast<int>(unsigned{day.month()}),
                           static_cast<int>(unsigned{day.day()}),
                           0,
                           0,
                           -1};
    if (matches_day(before.year, before.month, before.day)) return next_of_day(before);
  }
  return std::nullopt;
}

}  // namespace clusterd
