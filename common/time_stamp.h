// Stamps: the time a text begins with, as loggers write it.
//
// Pure but for the time zone of the process, which is that of a stamp without a zone. Used by the CLI to put
// lines of several logs in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace clusterd {

struct Stamp {
  std::int64_t wall_ms = 0;  // since 1970-01-01 UTC
  std::size_t size = 0;      // bytes of the text it took
};

// "2026-01-31T12:00:00.123Z", "2026-01-31 12:00:00,123 +01:00", "2026-01-31-12:00:00" and the like, ISO 8601
// and its relatives; seconds and what follows may be missing.
std::optional<Stamp> leading_stamp(std::string_view text);

}  // namespace clusterd
