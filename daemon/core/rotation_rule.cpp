#include "daemon/core/rotation_rule.h"

#include <algorithm>

namespace clusterd {
namespace {

std::string_view pattern_text(const LogRotation& rotation) {
  switch (rotation.interval) {
    case LogRotation::Interval::none:
      return "";
    case LogRotation::Interval::hour:
      return "@hourly";
    case LogRotation::Interval::day:
      return "@daily";
    case LogRotation::Interval::week:
      return "0 0 * * mon";
    case LogRotation::Interval::cron:
      return rotation.cron;
  }
  return "";
}

}  // namespace

std::optional<CronPattern> rotation_pattern(const LogRotation& rotation) {
  const std::string_view text = pattern_text(rotation);
  if (text.empty()) return std::nullopt;
  auto pattern = CronPattern::parse(text);  // config has refused what is none
  return pattern ? std::optional(*pattern) : std::nullopt;
}

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
