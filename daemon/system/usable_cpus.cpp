#include "daemon/system/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <vector>

#include "common/path_text.h"
#include "daemon/system/directories.h"
#include "daemon/system/state_file.h"

namespace clusterd {
namespace {

constexpr std::size_t kProcFileBytesMax = 4 * 1024 * 1024;  // mountinfo of a machine full of containers
constexpr int kCpusMax = 1 << 16;
constexpr int kCgroupDepthMax = 256;

std::string read_or_empty(const std::string& path) {
  return read_whole(path, kProcFileBytesMax).value_or("");
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// Cuts the text before the separator off and returns it; the rest is empty after the last part.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

std::optional<long long> whole_number(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<CpuQuota> quota_of(std::string_view quota, std::string_view period) {
  const auto quota_us = whole_number(quota);
  const auto period_us = whole_number(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return CpuQuota{*quota_us, *period_us};
}

bool lists(std::string_view comma_separated, std::string_view word) {
  while (!comma_separated.empty()) {
    if (take_until(comma_separated, ',') == word) return true;
  }
  return false;
}

// mountinfo writes blanks and backslashes as three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr == text.data() + i + 4) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The folder of a cgroup. A path outside the mount's root is not visible here; the mount point then stands
// for the nearest ancestor that is, which is the container's own cgroup.
std::string folder_of(const CgroupMount& mount, const std::string& cgroup_path) {
  std::string_view below = cgroup_path;
  if (mount.root != "/") {
    const bool inside = below.starts_with(mount.root) &&
                        (below.size() == mount.root.size() || below[mount.root.size()] == '/');
    below = inside ? below.substr(mount.root.size()) : std::string_view{};
  }
  if (below.starts_with("/..")) below = {};
  while (below.ends_with('/')) below.remove_suffix(1);
  return mount.mount_point + std::string(below);
}

using QuotaReader = std::optional<CpuQuota> (*)(const std::string& folder);

std::optional<CpuQuota> read_v2_quota(const std::string& folder) {
  return parse_cpu_max(read_or_empty(folder + "/cpu.max"));
}

std::optional<CpuQuota> read_v1_quota(const std::string& folder) {
  return parse_cfs_quota(read_or_empty(folder + "/cpu.cfs_quota_us"),
                         read_or_empty(folder + "/cpu.cfs_period_us"));
}

struct Hierarchy {
  std::optional<CgroupMount> mount;
  std::optional<std::string> cgroup_path;
  QuotaReader read_quota;
  const char* file;
};

// From the process's own cgroup up to the mount point: any of them may be the tightest.
void apply_quotas(const std::string& root, const Hierarchy& hierarchy, UsableCpus& cpus) {
  if (!hierarchy.mount || !hierarchy.cgroup_path) return;
  std::string folder = folder_of(*hierarchy.mount, *hierarchy.cgroup_path);
  for (int depth = 0; depth < kCgroupDepthMax; ++depth) {
    const auto quota = hierarchy.read_quota(root + folder);
    if (quota && cpus_of(*quota) < cpus.count) {
      cpus.count = cpus_of(*quota);
      cpus.reason = "cgroup CPU quota " + std::to_string(quota->quota_us) + "/" +
                    std::to_string(quota->period_us) + " us in " + folder + "/" + hierarchy.file;
    }
    if (folder.size() <= hierarchy.mount->mount_point.size()) return;
    folder = parent_directory(folder);
  }
}

// The kernel wants a mask at least as long as its own; its length is not known beforehand.
int affinity_cpu_count() {
  for (int bits = CPU_SETSIZE; bits <= kCpusMax; bits *= 2) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(bits) / sizeof(cpu_set_t));
    const std::size_t mask_bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, mask_bytes, mask.data()) == 0) return CPU_COUNT_S(mask_bytes, mask.data());
  }
  return 1;
}

}  // namespace

std::optional<CpuQuota> parse_cpu_max(std::string_view text) {
  std::string_view line = first_line(text);
  const std::string_view quota = take_until(line, ' ');
  return quota_of(quota, line);
}

std::optional<CpuQuota> parse_cfs_quota(std::string_view quota_text, std::string_view period_text) {
  return quota_of(first_line(quota_text), first_line(period_text));
}

int cpus_of(CpuQuota quota) {
  const long long whole = quota.quota_us / quota.period_us + (quota.quota_us % quota.period_us != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<long long>(whole, 1, INT_MAX));
}

// Lines "hierarchy-id:controllers:path"; v2 is "0::path". A path may contain colons.
CgroupMembership parse_cgroup_membership(std::string_view text) {
  CgroupMembership membership;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string_view id = take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    if (!line.starts_with('/')) continue;
    if (id == "0" && controllers.empty()) membership.v2_path = line;
    if (lists(controllers, "cpu")) membership.v1_cpu_path = line;
  }
  return membership;
}

// Lines "id parent major:minor ROOT MOUNT-POINT options [optional...] - TYPE source SUPER-OPTIONS". Of
// several mounts of a hierarchy the first one counts: it is the system's own.
CgroupMounts parse_cgroup_mounts(std::string_view text) {
  CgroupMounts mounts;
  while (!text.empty()) {
    std::string_view fields = take_until(text, '\n');
    const std::size_t separator = fields.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view type_fields = fields.substr(separator + 3);
    const std::string_view type = take_until(type_fields, ' ');
    take_until(type_fields, ' ');
    for (int skipped = 0; skipped < 3; ++skipped) take_until(fields, ' ');
    CgroupMount mount{unescape(take_until(fields, ' ')), unescape(take_until(fields, ' '))};
    if (type == "cgroup2" && !mounts.v2) mounts.v2 = mount;
    if (type == "cgroup" && lists(type_fields, "cpu") && !mounts.v1_cpu) mounts.v1_cpu = mount;
  }
  return mounts;
}

UsableCpus usable_cpus_under(const std::string& root, int affinity_cpus) {
  const CgroupMembership membership = parse_cgroup_membership(read_or_empty(root + "/proc/self/cgroup"));
  const CgroupMounts mounts = parse_cgroup_mounts(read_or_empty(root + "/proc/self/mountinfo"));
  UsableCpus cpus{std::max(1, affinity_cpus), "CPU affinity"};
  apply_quotas(root, {mounts.v2, membership.v2_path, read_v2_quota, "cpu.max"}, cpus);
  apply_quotas(root, {mounts.v1_cpu, membership.v1_cpu_path, read_v1_quota, "cpu.cfs_quota_us"}, cpus);
  return cpus;
}

UsableCpus usable_cpus() { return usable_cpus_under("", affinity_cpu_count()); }

}  // namespace clusterd
