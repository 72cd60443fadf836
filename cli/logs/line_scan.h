// scan_lines: what FileTail and offset_since find in a file from its end or by halving, found in one pass
// from the beginning, for what can be read in no other way.
//
// Used by `logs` for compressed files. Memory: one block, one line, the last kScanTailBytes and the offsets
// of the last lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/logs/byte_source.h"

namespace clusterd::cli {

inline constexpr std::size_t kScanTailBytes = 256 * 1024;  // a few lines need not be decompressed twice

struct LineScan {
  std::int64_t last_offset = 0;  // where the last wanted lines begin
  int lines = 0;                 // wanted ones from there on
  // Where what was written since the asked instant begins, by the stamps of lines; absent: no line has one.
  std::optional<std::int64_t> since_offset;
  std::int64_t size = 0;  // of all that was read
  std::string tail;       // the end of it
  std::int64_t tail_offset() const { return size - static_cast<std::int64_t>(tail.size()); }
};

// `lines` of them at most, 0 is none; `since` in wall-clock milliseconds, absent: it does not matter.
LineScan scan_lines(ByteSource& source, int lines, const FileTail::Wanted& wanted,
                    std::optional<std::int64_t> since);

}  // namespace clusterd::cli
