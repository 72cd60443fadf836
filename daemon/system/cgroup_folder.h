// cgroup_folder: where the cgroup of a process is in the file system.
//
// Used by whoever reads or makes something there: limits of apps, counting of connections, counters of the
// out-of-memory killer. Pure: the texts are those of /proc/PID/cgroup and /proc/self/mountinfo. Sources:
// cgroups(7), proc_pid_mountinfo(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

inline constexpr std::string_view kUnified = "";  // the hierarchy of version 2

// In the hierarchy of a controller of version 1 ("memory"), or in that of version 2 (kUnified). Without a
// slash at its end; whether the folder exists is not known. Nothing: no such hierarchy is mounted.
std::optional<std::string> cgroup_folder(std::string_view cgroup_text, std::string_view mountinfo_text,
                                         std::string_view controller);

// "cpu" is one of "cpu,cpuacct".
bool is_listed(std::string_view list, std::string_view word, char separator);

}  // namespace clusterd
