// Where does a file's part since some instant begin? Binary search by the stamps of its lines.
//
// Used by `logs --since`. Reads some blocks, however large the file is; takes the stamps to be in order, as
// those of a log are. Lines without a stamp belong to the one before them.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/logs/file_tail.h"

namespace clusterd::cli {

// Absent: no line near the end has a stamp, so the file says nothing about time.
std::optional<std::int64_t> offset_since(const FileTail& file, std::int64_t end, std::int64_t since_wall_ms);

}  // namespace clusterd::cli
