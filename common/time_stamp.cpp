#include "common/time_stamp.h"

#include <ctime>

namespace clusterd {
namespace {

constexpr std::int64_t kMillisecondsOfSecond = 1000;

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
