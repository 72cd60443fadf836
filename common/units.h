// Durations and sizes as people write and read them: "30s" -> 30 000 ms, 52.6 MiB -> "52.6mb".
//
// Pure; used by the config parser (text -> value) and by the CLI (value -> columns of `list`). Parsing is
// exact or refused: nothing is rounded, nothing overflows. The short forms are those PM2's users know.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

// Longer than any sensible time limit, short enough that sums of durations never overflow.
inline constexpr std::chrono::milliseconds kDurationMax = std::chrono::hours{24 * 365 * 10};

// Whole numbers with an optional unit: "1600" and "1600ms" (milliseconds), "30s", "5m", "1h", "2d".
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// Bytes: "1024", "200K", "200M", "2G", in any case, also as "200MB" and "200MiB"; the factor is always 1024.
Result<std::uint64_t> parse_size(std::string_view text);

// One number and one letter: "15s" "3m" "2h" "4D" "2M" "1Y". A unit is left at twice the next one, so that
// 119 seconds are "119s" and never a coarse "1m".
std::string format_duration_short(std::chrono::milliseconds duration);

// "0b" "1.0kb" "52.6mb" "1.2gb".
std::string format_size(std::uint64_t bytes);

// The shortest form that parse_duration() takes back exactly: "30s" rather than "30000ms".
std::string format_duration_exact(std::chrono::milliseconds duration);

}  // namespace clusterd
