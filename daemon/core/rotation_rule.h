// RotationRule: when a log is moved aside by the clock, and which of the rotated files are deleted.
//
// Pure; carried out by LogKeeper. What a rotated file is called: common/rotated_log. Only files of such names
// are ever touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/rotated_log.h"
#include "config/cron_pattern.h"
#include "config/log_settings.h"

namespace clusterd {

// The times of an interval; absent: none. A file that was last written before one of them and is written
// after it is two files.
std::optional<CronPattern> rotation_pattern(const LogRotation& rotation);

// The ones that have to go: too many, too much together, too old.
std::vector<std::string> expired_files(std::vector<RotatedFile> files, const LogRotation& rotation,
                                       std::int64_t now_ms);

// The oldest ones that have to go so that all logs together, of which `used` bytes, fit into `limit`.
std::vector<std::string> files_over_limit(std::vector<RotatedFile> files, std::uint64_t used,
                                          std::uint64_t limit);

}  // namespace clusterd
