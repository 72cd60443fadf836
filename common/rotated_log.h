// Names of rotated logs: "web-out.log" becomes "web-out__2026-01-31_23-59-59.log" (local time), with "-2" and
// so on after the time if there are several in one second, and ".gz" or ".zst" behind it when compressed.
//
// Pure. Used by the daemon, which gives these names and deletes files of no others, and by `logs`, which
// looks into them. `file` is the last element of the path of the log itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/date_format.h"

namespace clusterd {

// The first `attempt` is 1.
std::string rotated_name(std::string_view file, const LocalTime& time, int attempt);

std::string rotated_prefix(std::string_view file);  // "web-out__": what all of them begin with

// What belongs to `file`. With an empty `file`: of any log.
bool is_rotated_name(std::string_view name, std::string_view file);

inline constexpr std::string_view kGzipSuffix = ".gz";
inline constexpr std::string_view kZstdSuffix = ".zst";
bool is_compressed_name(std::string_view name);
std::string_view without_compression(std::string_view name);

// Whether the one was given before the other, by the time and the number in them; both of the same log.
bool rotated_before(std::string_view name, std::string_view other);

struct RotatedFile {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;  // of the last line: compressing keeps it
};

// By the time of the last change, because a clock that is put back gives earlier names.
void sort_newest_first(std::vector<RotatedFile>& files);

}  // namespace clusterd
