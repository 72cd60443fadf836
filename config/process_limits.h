// ProcessLimits: what the kernel is told about each process of an app before it runs: rlimits, priorities,
// umask, and the cgroup that all processes of an instance share.
//
// A part of AppSpec; read in config/runtime_fields, put into effect by clusterd-exec (daemon/launcher) and by
// daemon/system/app_cgroup. Pure; also knows the names of the resources: setrlimit(2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clusterd {

struct ResourceName {
  std::string_view name;  // "nofile"
  int number;             // RLIMIT_NOFILE
  bool in_bytes;          // may be written as "64M"
};
std::span<const ResourceName> resource_names();
const ResourceName* find_resource(std::string_view name);  // null: no such resource

inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};  // RLIM_INFINITY

struct ResourceLimit {
  std::uint64_t soft = kUnlimited;
  std::uint64_t hard = kUnlimited;
  bool operator==(const ResourceLimit&) const = default;
};

struct CgroupLimits {
  std::optional<std::uint64_t> memory;  // bytes
  std::optional<std::uint64_t> cpu;     // thousandths of a CPU
  std::optional<std::uint64_t> pids;
  bool any() const { return memory || cpu || pids; }
  bool operator==(const CgroupLimits&) const = default;
};

struct ProcessLimits {
  std::map<std::string, ResourceLimit> rlimits;  // by the name of the resource
  std::optional<int> nice;                       // -20 to 19
  std::optional<int> oom_score_adj;              // -1000 to 1000
  std::optional<int> umask;
  CgroupLimits cgroup;
  bool operator==(const ProcessLimits&) const = default;
};

}  // namespace clusterd
