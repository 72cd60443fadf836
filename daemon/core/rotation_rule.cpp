#include "daemon/core/rotation_rule.h"

#include <algorithm>

namespace clusterd {
namespace {

constexpr std::string_view kDateShape = "dddd-dd-dd_dd-dd-dd";
constexpr std::string_view kDateFormat = "YYYY-MM-DD_HH-mm-ss";
constexpr std::string_view kSeparator = "__";
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kMondayOffset = 3;  // 1 January 1970 was a Thursday

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_date_shape(std::string_view text) {
  return text.size() == kDateShape.size() && std::ranges::equal(text, kDateShape, [](char c, char shape) {
           return shape == 'd' ? is_digit(c) : c == shape;
         });
}

struct NameParts {
  std::string_view stem;
  std::string_view extension;  // with its dot
};

NameParts split_name(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == file.npos || dot == 0) return {file, ""};
  return {file.substr(0, dot), file.substr(dot)};
}

std::string_view without_compression(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

void sort_newest_first(std::vector<RotatedFile>& files) {
  std::ranges::sort(files, [](const RotatedFile& a, const RotatedFile& b) {
    if (a.modified_ms != b.modified_ms) return a.modified_ms > b.modified_ms;
    const std::string_view first = without_compression(a.name);
    const std::string_view second = without_compression(b.name);
    // "-10" comes after "-9", and both after none.
    return first.size() != second.size() ? first.size() > second.size() : first > second;
  });
}

}  // namespace

std::int64_t rotation_period(LogRotation::Interval interval, const LocalTime& time) {
  const std::int64_t local = time.epoch_ms + std::int64_t{time.offset_minutes} * 60'000;
  switch (interval) {
    case LogRotation::Interval::none:
      return 0;
    case LogRotation::Interval::hour:
      return floor_divide(local, kHourMs);
    case LogRotation::Interval::day:
      return floor_divide(local, kDayMs);
    case LogRotation::Interval::week:
      return floor_divide(floor_divide(local, kDayMs) + kMondayOffset, 7);
  }
  return 0;
}

std::string rotated_name(std::string_view file, const LocalTime& time, int attempt) {
  const NameParts parts = split_name(file);
  const std::string number = attempt > 1 ? "-" + std::to_string(attempt) : "";
  return std::string(parts.stem) + std::string(kSeparator) + format_date(kDateFormat, time) + number +
         std::string(parts.extension);
}

bool is_rotated_name(std::string_view name, std::string_view file) {
  const NameParts has = split_name(without_compression(name));
  const std::size_t separator = has.stem.rfind(kSeparator);
  if (separator == has.stem.npos) return false;
  const std::string_view when = has.stem.substr(separator + kSeparator.size());
  const std::string_view rest = when.substr(std::min(when.size(), kDateShape.size()));
  const bool numbered =
      rest.size() > 1 && rest.front() == '-' && std::ranges::all_of(rest.substr(1), is_digit);
  if (!has_date_shape(when.substr(0, kDateShape.size())) || !(rest.empty() || numbered)) return false;
  if (file.empty()) return true;
  const NameParts wanted = split_name(file);
  return has.stem.substr(0, separator) == wanted.stem && has.extension == wanted.extension;
}

bool is_compressed_name(std::string_view name) { return without_compression(name) != name; }

std::vector<std::string> expired_files(std::vector<RotatedFile> files, const LogRotation& rotation,
                                       std::int64_t now_ms) {
  sort_newest_first(files);
  std::vector<std::string> expired;
  int kept = 0;
  std::uint64_t total = 0;
  for (const RotatedFile& file : files) {
    const bool too_old = rotation.age.count() > 0 && now_ms - file.modified_ms > rotation.age.count();
    const bool too_much = rotation.total > 0 && total + file.size > rotation.total;
    if (kept >= rotation.keep || too_old || too_much) {
      expired.push_back(file.name);
      continue;
    }
    ++kept;
    total += file.size;
  }
  return expired;
}

std::vector<std::string> files_over_limit(std::vector<RotatedFile> files, std::uint64_t used,
                                          std::uint64_t limit) {
  sort_newest_first(files);
  std::vector<std::string> over;
  while (used > limit && !files.empty()) {
    used -= std::min(used, files.back().size);
    over.push_back(files.back().name);
    files.pop_back();
  }
  return over;
}

}  // namespace clusterd
