// memory_rule: is an instance above its max_memory_restart, and may it be replaced for that already?
//
// Pure; asked by daemon/memory_watch every kMemoryInterval for instances with a limit. Two measures: the sum
// of resident sets is cheap, but counts what processes share once for each; so it only says where to look
// closer, and the proportional sets, where they can be read, decide. What cannot be measured is unknown,
// which is no reason for anything. An app that is above its limit from the start is replaced with growing
// pauses.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace clusterd {

inline constexpr std::chrono::milliseconds kMemoryInterval{5'000};
inline constexpr std::chrono::milliseconds kMemoryPauseMax{300'000};

// Whether the second, expensive measure is needed at all.
inline bool may_exceed(std::uint64_t limit, const std::optional<std::uint64_t>& resident) {
  return resident && *resident > limit;
}

// The memory that counts: the proportional set where it is known.
bool exceeds(std::uint64_t limit, const std::optional<std::uint64_t>& resident,
             const std::optional<std::uint64_t>& proportional);

// Of one slot: how often in a row an instance was replaced soon after its start.
struct MemoryRecord {
  int early = 0;
};

// An instance that has lived so long may be replaced.
std::chrono::milliseconds memory_patience(const MemoryRecord& record);
void note_replacement(MemoryRecord& record, std::chrono::milliseconds lived);

std::string memory_reason(std::uint64_t used, std::uint64_t limit);

}  // namespace clusterd
