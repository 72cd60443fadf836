#include "daemon/core/memory_rule.h"

#include <algorithm>

#include "common/units.h"

namespace clusterd {
namespace {

constexpr std::chrono::milliseconds kEarly{60'000};

}  // namespace

bool exceeds(std::uint64_t limit, const std::optional<std::uint64_t>& resident,
             const std::optional<std::uint64_t>& proportional) {
  if (!may_exceed(limit, resident)) return false;
  return !proportional || *proportional > limit;
}

// The first is free; then 10 s, 20 s ... of life are left to it.
std::chrono::milliseconds memory_patience(const MemoryRecord& record) {
  if (record.early == 0) return std::chrono::milliseconds{0};
  return std::min(kMemoryPauseMax, 2 * kMemoryInterval * (1 << std::min(record.early - 1, 10)));
}

void note_replacement(MemoryRecord& record, std::chrono::milliseconds lived) {
  record.early = lived < kEarly + memory_patience(record) ? record.early + 1 : 0;
}

std::string memory_reason(std::uint64_t used, std::uint64_t limit) {
  return "memory: " + format_size(used) + " is above max_memory_restart (" + format_size(limit) + ")";
}

}  // namespace clusterd
