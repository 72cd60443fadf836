// tree_memory: how much memory the processes of a tree use together.
//
// Asked by daemon/memory_watch. Two measures (proc_pid_statm(5), proc_pid_smaps_rollup(5)): resident sets are
// cheap to read and count a page once for each process that shares it; proportional sets count it once in
// all, and make the kernel walk the page tables. nullopt: nothing could be measured; never taken for zero.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace clusterd {

// Bytes. Processes that end meanwhile are left out.
std::optional<std::uint64_t> resident_memory(const std::vector<pid_t>& pids);
// Nothing, too, if a living process of the tree may not be looked at.
std::optional<std::uint64_t> proportional_memory(const std::vector<pid_t>& pids);

std::optional<std::uint64_t> parse_statm(std::string_view text, std::uint64_t page_bytes);
std::optional<std::uint64_t> parse_pss(std::string_view smaps_rollup);

}  // namespace clusterd
