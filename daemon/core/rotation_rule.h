// RotationRule: when a log is moved aside by the clock, what it is called then, and which of those are
// deleted.
//
// Pure; carried out by LogKeeper. "web-out.log" becomes "web-out__2026-01-31_23-59-59.log", with "-2" and so
// on after the time if there are several in one second, and ".gz" or ".zst" behind it when compressed. Only
// such names are ever touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/log_settings.h"
#include "common/date_format.h"

namespace clusterd {

// The number of the hour, day or week, by the clocks of the place; changes when it is time. 0 for none.
std::int64_t rotation_period(LogRotation::Interval interval, const LocalTime& time);

// `file` is the last element of a path; the first `attempt` is 1.
std::string rotated_name(std::string_view file, const LocalTime& time, int attempt);

// What belongs to `file`. With an empty `file`: of any log.
bool is_rotated_name(std::string_view name, std::string_view file);
bool is_compressed_name(std::string_view name);

struct RotatedFile {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;
};

// The ones that have to go: too many, too much together, too old.
std::vector<std::string> expired_files(std::vector<RotatedFile> files, const LogRotation& rotation,
                                       std::int64_t now_ms);

// The oldest ones that have to go so that all logs together, of which `used` bytes, fit into `limit`.
std::vector<std::string> files_over_limit(std::vector<RotatedFile> files, std::uint64_t used,
                                          std::uint64_t limit);

}  // namespace clusterd
