#include "common/rotated_log.h"

#include <algorithm>
#include <tuple>

namespace clusterd {
namespace {

constexpr std::string_view kDateShape = "dddd-dd-dd_dd-dd-dd";
constexpr std::string_view kDateFormat = "YYYY-MM-DD_HH-mm-ss";
constexpr std::string_view kSeparator = "__";

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

// "2026-01-31_23-59-59-2" of a name; "" if it has none.
std::string_view when_of(std::string_view name) {
  const std::string_view stem = split_name(without_compression(name)).stem;
  const std::size_t separator = stem.rfind(kSeparator);
  return separator == stem.npos ? "" : stem.substr(separator + kSeparator.size());
}

// "-10" comes after "-9", and both after none.
auto order_of(std::string_view name) {
  const std::string_view when = when_of(name);
  return std::tuple(when.substr(0, kDateShape.size()), when.size(), when);
}

}  // namespace

std::string rotated_prefix(std::string_view file) {
  return std::string(split_name(file).stem) + std::string(kSeparator);
}

std::string rotated_name(std::string_view file, const LocalTime& time, int attempt) {
  const std::string number = attempt > 1 ? "-" + std::to_string(attempt) : "";
  return rotated_prefix(file) + format_date(kDateFormat, time) + number +
         std::string(split_name(file).extension);
}

bool is_rotated_name(std::string_view name, std::string_view file) {
  const NameParts has = split_name(without_compression(name));
  const std::size_t separator = has.stem.rfind(kSeparator);
  if (separator == has.stem.npos) return false;
  const std::string_view when = when_of(name);
  const std::string_view rest = when.substr(std::min(when.size(), kDateShape.size()));
  const bool numbered =
      rest.size() > 1 && rest.front() == '-' && std::ranges::all_of(rest.substr(1), is_digit);
  if (!has_date_shape(when.substr(0, kDateShape.size())) || !(rest.empty() || numbered)) return false;
  if (file.empty()) return true;
  const NameParts wanted = split_name(file);
  return has.stem.substr(0, separator) == wanted.stem && has.extension == wanted.extension;
}

std::string_view without_compression(std::string_view name) {
  for (const std::string_view suffix : {kGzipSuffix, kZstdSuffix}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

bool is_compressed_name(std::string_view name) { return without_compression(name) != name; }

bool rotated_before(std::string_view name, std::string_view other) {
  return order_of(name) < order_of(other);
}

void sort_newest_first(std::vector<RotatedFile>& files) {
  std::ranges::sort(files, [](const RotatedFile& a, const RotatedFile& b) {
    return a.modified_ms != b.modified_ms ? a.modified_ms > b.modified_ms : rotated_before(b.name, a.name);
  });
}

}  // namespace clusterd
