// UsableCpus: how many CPUs this process may really use, which is what `instances: "max"` means.
//
// Asked once per application of an app. The smallest of: the CPU affinity, and quota/period rounded up of the
// process's own cgroup and of every ancestor (v2 cpu.max, v1 cpu.cfs_quota_us); at least 1. What cannot be
// read does not limit. Formats: cgroups(7), proc(5), Documentation/admin-guide/cgroup-v2.rst and
// scheduler/sched-bwc.
//
// The parsers are pure; usable_cpus_under() reads all files below a given root so that tests build their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

struct UsableCpus {
  int count = 1;
  std::string reason;  // "CPU affinity" or "cgroup CPU quota 150000/100000 us in /sys/fs/cgroup/web/cpu.max"
};

UsableCpus usable_cpus();

// `root` is put in front of /proc/self/... and of the cgroup mount points; `affinity_cpus` >= 1.
UsableCpus usable_cpus_under(const std::string& root, int affinity_cpus);

// Microseconds; both above 0.
struct CpuQuota {
  long long quota_us = 0;
  long long period_us = 0;
  bool operator==(const CpuQuota&) const = default;
};

std::optional<CpuQuota> parse_cpu_max(std::string_view text);  // "max 100000": nullopt
std::optional<CpuQuota> parse_cfs_quota(std::string_view quota_text,
                                        std::string_view period_text);  // "-1": nullopt
int cpus_of(CpuQuota quota);                                            // rounded up, at least 1

// Which cgroup the process is in, per hierarchy, from /proc/self/cgroup.
struct CgroupMembership {
  std::optional<std::string> v2_path;
  std::optional<std::string> v1_cpu_path;
};
CgroupMembership parse_cgroup_membership(std::string_view proc_self_cgroup);

// Where the hierarchies are mounted, from /proc/self/mountinfo.
struct CgroupMount {
  std::string root;  // the cgroup that shows at mount_point; not "/" inside containers
  std::string mount_point;
};
struct CgroupMounts {
  std::optional<CgroupMount> v2;
  std::optional<CgroupMount> v1_cpu;
};
CgroupMounts parse_cgroup_mounts(std::string_view proc_self_mountinfo);

}  // namespace clusterd
