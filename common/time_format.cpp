#include "common/time_format.h"

#include <algorithm>
#include <array>

namespace clusterd {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kMillisecondsOfSecond = 1000;

std::string digits(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

CalendarTime split(std::int64_t wall_ms) {
  CalendarTime time;
  time.wall_ms = wall_ms;
  const std::int64_t rest = wall_ms % kMillisecondsOfSecond;
  time.milliseconds = static_cast<int>(rest < 0 ? rest + kMillisecondsOfSecond : rest);
  return time;
}

std::time_t seconds_of(const CalendarTime& time) {
  return static_cast<std::time_t>((time.wall_ms - time.milliseconds) / kMillisecondsOfSecond);
}

std::string zone_text(int minutes, bool colon) {
  const int size = minutes < 0 ? -minutes : minutes;
  return (minutes < 0 ? "-" : "+") + digits(size / 60, 2) + (colon ? ":" : "") + digits(size % 60, 2);
}

int hour_of_twelve(int hour) { return hour % 12 == 0 ? 12 : hour % 12; }

struct Token {
  std::string_view name;
  std::string (*text)(const CalendarTime& time);
};

using T = const CalendarTime&;

// Longer ones before their beginnings.
constexpr std::array kTokens{
    Token{"YYYY", [](T t) { return digits(t.fields.tm_year + 1900, 4); }},
    Token{"YY", [](T t) { return digits((t.fields.tm_year + 1900) % 100, 2); }},
    Token{"MMMM", [](T t) { return std::string(kMonths.at(static_cast<std::size_t>(t.fields.tm_mon))); }},
    Token{
        "MMM",
        [](T t) { return std::string(kMonths.at(static_cast<std::size_t>(t.fields.tm_mon)).substr(0, 3)); }},
    Token{"MM", [](T t) { return digits(t.fields.tm_mon + 1, 2); }},
    Token{"M", [](T t) { return digits(t.fields.tm_mon + 1, 1); }},
    Token{"dddd", [](T t) { return std::string(kDays.at(static_cast<std::size_t>(t.fields.tm_wday))); }},
    Token{"ddd",
          [](T t) { return std::string(kDays.at(static_cast<std::size_t>(t.fields.tm_wday)).substr(0, 3)); }},
    Token{"DD", [](T t) { return digits(t.fields.tm_mday, 2); }},
    Token{"D", [](T t) { return digits(t.fields.tm_mday, 1); }},
    Token{"HH", [](T t) { return digits(t.fields.tm_hour, 2); }},
    Token{"H", [](T t) { return digits(t.fields.tm_hour, 1); }},
    Token{"hh", [](T t) { return digits(hour_of_twelve(t.fields.tm_hour), 2); }},
    Token{"h", [](T t) { return digits(hour_of_twelve(t.fields.tm_hour), 1); }},
    Token{"mm", [](T t) { return digits(t.fields.tm_min, 2); }},
    Token{"m", [](T t) { return digits(t.fields.tm_min, 1); }},
    Token{"ss", [](T t) { return digits(t.fields.tm_sec, 2); }},
    Token{"s", [](T t) { return digits(t.fields.tm_sec, 1); }},
    Token{"SSS", [](T t) { return digits(t.milliseconds, 3); }},
    Token{"SS", [](T t) { return digits(t.milliseconds / 10, 2); }},
    Token{"S", [](T t) { return digits(t.milliseconds / 100, 1); }},
    Token{"ZZ", [](T t) { return zone_text(t.offset_minutes, false); }},
    Token{"Z", [](T t) { return zone_text(t.offset_minutes, true); }},
    Token{"A", [](T t) { return std::string(t.fields.tm_hour < 12 ? "AM" : "PM"); }},
    Token{"a", [](T t) { return std::string(t.fields.tm_hour < 12 ? "am" : "pm"); }},
    Token{"X", [](T t) { return std::to_string(seconds_of(t)); }},
    Token{"x", [](T t) { return std::to_string(t.wall_ms); }},
};

// Reads a stamp from the left; each step says whether it found what it wanted.
class StampReader {
 public:
  explicit StampReader(std::string_view text) : text_(text) {}

  bool number(std::size_t width, int low, int high, int& value) {
    if (at_ + width > text_.size()) return false;
    int sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const char c = text_[at_ + i];
      if (c < '0' || c > '9') return false;
      sum = sum * 10 + (c - '0');
    }
    if (sum < low || sum > high) return false;
    value = sum;
    at_ += width;
    return true;
  }
  bool one_of(std::string_view wanted) {
    if (at_ >= text_.size() || wanted.find(text_[at_]) == wanted.npos) return false;
    ++at_;
    return true;
  }
  bool digit_follows() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  std::size_t at() const { return at_; }
  void go_back(std::size_t at) { at_ = at; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

int fraction_ms(StampReader& reader) {
  int value = 0;
  int place = 100;
  for (int digit = 0; reader.number(1, 0, 9, digit); place /= 10) value += digit * place;
  return value;
}

// "Z", "+01:00", "+0100", "+01", after at most one space.
std::optional<int> zone_minutes(StampReader& reader) {
  const std::size_t before = reader.at();
  reader.one_of(" ");
  if (reader.one_of("Zz")) return 0;
  const std::size_t sign_at = reader.at();
  const bool west = reader.one_of("-");
  int hours = 0;
  int minutes = 0;
  if ((west || reader.one_of("+")) && reader.number(2, 0, 14, hours)) {
    reader.one_of(":");
    if (!reader.number(2, 0, 59, minutes)) minutes = 0;
    if (!reader.digit_follows()) return (west ? -1 : 1) * (hours * 60 + minutes);
  }
  reader.go_back(sign_at);
  reader.go_back(before);
  return std::nullopt;
}

}  // namespace

CalendarTime local_time(std::int64_t wall_ms) {
  CalendarTime time = split(wall_ms);
  const std::time_t seconds = seconds_of(time);
  localtime_r(&seconds, &time.fields);
  time.offset_minutes = static_cast<int>(time.fields.tm_gmtoff / 60);
  return time;
}

CalendarTime utc_time(std::int64_t wall_ms) {
  CalendarTime time = split(wall_ms);
  const std::time_t seconds = seconds_of(time);
  gmtime_r(&seconds, &time.fields);
  return time;
}

std::string format_time(const CalendarTime& time, std::string_view pattern) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t closing = pattern.front() == '[' ? pattern.find(']') : pattern.npos;
    if (closing != pattern.npos) {
      text += pattern.substr(1, closing - 1);
      pattern.remove_prefix(closing + 1);
      continue;
    }
    const auto token =
        std::ranges::find_if(kTokens, [&](const Token& one) { return pattern.starts_with(one.name); });
    if (token == kTokens.end()) {
      text += pattern.front();
      pattern.remove_prefix(1);
      continue;
    }
    text += token->text(time);
    pattern.remove_prefix(token->name.size());
  }
  return text;
}

std::optional<Stamp> leading_stamp(std::string_view text) {
  StampReader reader(text);
  reader.one_of("[");
  std::tm fields{};
  int year = 0;
  int month = 0;
  const bool has_date = reader.number(4, 1970, 9999, year) && reader.one_of("-/") &&
                        reader.number(2, 1, 12, month) && reader.one_of("-/") &&
                        reader.number(2, 1, 31, fields.tm_mday) && reader.one_of("Tt -:");
  const bool has_time = has_date && reader.number(2, 0, 23, fields.tm_hour) && reader.one_of(":") &&
                        reader.number(2, 0, 59, fields.tm_min);
  if (!has_time) return std::nullopt;
  int milliseconds = 0;
  const std::size_t minutes_end = reader.at();
  if (reader.one_of(":")) {
    if (!reader.number(2, 0, 60, fields.tm_sec)) reader.go_back(minutes_end);
    const std::size_t seconds_end = reader.at();
    if (reader.one_of(".,") && reader.digit_follows()) {
      milliseconds = fraction_ms(reader);
    } else {
      reader.go_back(seconds_end);
    }
  }
  const auto zone = zone_minutes(reader);
  fields.tm_year = year - 1900;
  fields.tm_mon = month - 1;
  fields.tm_isdst = -1;
  const std::time_t seconds = zone ? timegm(&fields) - *zone * 60 : mktime(&fields);
  return Stamp{static_cast<std::int64_t>(seconds) * kMillisecondsOfSecond + milliseconds, reader.at()};
}

}  // namespace clusterd
