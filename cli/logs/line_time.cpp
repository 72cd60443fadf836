#include "cli/logs/line_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "common/time_stamp.h"

namespace clusterd::cli {
namespace {

WallMs stamp_of(std::string_view text) {
  const auto stamp = leading_stamp(text);
  return stamp ? WallMs(stamp->wall_ms) : std::nullopt;
}

// Seconds or milliseconds since 1970, as loggers write them: 10 or 13 digits.
WallMs epoch_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = stop - text.data();
  if (error != std::errc{} || (digits != 10 && digits != 13)) return std::nullopt;
  return digits == 10 ? number * 1000 : number;
}

WallMs json_time(std::string_view line) {
  constexpr std::array<std::string_view, 4> kKeys{
      "\"timestamp\":", "\"time\":", "\"@timestamp\":", "\"ts\":"};
  line = line.substr(0, kLineTimeBytesMax);
  for (const std::string_view key : kKeys) {
    const std::size_t at = line.find(key);
    if (at == line.npos) continue;
    std::string_view value = line.substr(at + key.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (value.starts_with('"')) return stamp_of(value.substr(1));
    return epoch_of(value);
  }
  return std::nullopt;
}

}  // namespace

WallMs line_time(std::string_view line) {
  if (line.starts_with('{')) return json_time(line);
  constexpr std::string_view kKeyValue = "time=";  // logfmt, and the daemon's own log
  if (line.starts_with(kKeyValue)) line.remove_prefix(kKeyValue.size());
  return stamp_of(line);
}

WallMs TimeMarks::time_at(std::int64_t offset) const {
  const auto behind = std::upper_bound(marks_.begin(), marks_.end(),
                                       std::pair(offset, std::numeric_limits<std::int64_t>::max()));
  return behind == marks_.begin() ? std::nullopt : WallMs(std::prev(behind)->second);
}

std::optional<std::int64_t> TimeMarks::offset_since(std::int64_t since) const {
  if (marks_.empty() || since < first_time()) return std::nullopt;
  const auto found = std::ranges::find_if(marks_, [&](const auto& mark) { return mark.second >= since; });
  return found == marks_.end() ? std::numeric_limits<std::int64_t>::max() : found->first;
}

}  // namespace clusterd::cli
