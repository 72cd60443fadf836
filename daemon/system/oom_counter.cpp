#include "daemon/system/oom_counter.h"

#include <charconv>
#include <sstream>

#include "daemon/system/procfs.h"

namespace clusterd {
namespace {

constexpr std::string_view kKey = "oom_kill";

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted
  std::string point;  // where
};

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (list.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

// proc_pid_mountinfo(5): "id parent device ROOT POINT options... - TYPE source SUPER_OPTIONS".
std::optional<Mount> mount_of(std::string_view mountinfo, std::string_view type, std::string_view option) {
  std::istringstream table{std::string(mountinfo)};
  for (std::string line; std::getline(table, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::istringstream before(line.substr(0, dash)), behind(line.substr(dash + 3));
    std::string ignored, found_type, options;
    Mount mount;
    before >> ignored >> ignored >> ignored >> mount.root >> mount.point;
    behind >> found_type >> ignored >> options;
    if (found_type == type && (option.empty() || has_word(options, option))) return mount;
  }
  return std::nullopt;
}

std::optional<std::string> file_below(const std::optional<Mount>& mount, std::string path,
                                      std::string_view file) {
  if (!mount) return std::nullopt;
  if (mount->root != "/" && path.starts_with(mount->root)) path.erase(0, mount->root.size());
  return mount->point + path + (path.ends_with('/') ? "" : "/") + std::string(file);
}

std::optional<std::uint64_t> count_in(const std::string& file) {
  return file.empty() ? std::nullopt : flat_keyed_number(read_proc_file(file), kKey);
}

}  // namespace

std::optional<std::uint64_t> flat_keyed_number(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    std::uint64_t number = 0;
    const char* last = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + key.size() + 1, last, number);
    if (error == std::errc{} && stop == last) return number;
  }
  return std::nullopt;
}

// cgroups(7): "hierarchy:controllers:path"; of v2 the first is 0 and the second empty. Where v1 has the
// memory controller, v2 has not.
std::optional<std::string> oom_file(std::string_view cgroup_text, std::string_view mountinfo_text) {
  std::istringstream table{std::string(cgroup_text)};
  std::optional<std::string> unified;
  for (std::string line; std::getline(table, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (has_word(controllers, "memory"))
      return file_below(mount_of(mountinfo_text, "cgroup", "memory"), path, "memory.oom_control");
    if (controllers.empty()) unified = path;
  }
  if (!unified) return std::nullopt;
  return file_below(mount_of(mountinfo_text, "cgroup2", ""), *unified, "memory.events");
}

OomCounter OomCounter::of(pid_t pid) {
  static const std::string mounts = read_proc_file("/proc/self/mountinfo");
  OomCounter counter;
  counter.cgroup_file_ =
      oom_file(read_proc_file("/proc/" + std::to_string(pid) + "/cgroup"), mounts).value_or("");
  counter.in_cgroup_ = count_in(counter.cgroup_file_);
  if (!counter.in_cgroup_) counter.in_machine_ = count_in("/proc/vmstat");
  return counter;
}

OomCounter::Answer OomCounter::look() const {
  const auto in_cgroup = in_cgroup_ ? count_in(cgroup_file_) : std::nullopt;
  if (in_cgroup) return *in_cgroup > *in_cgroup_ ? Answer::in_cgroup : Answer::none;
  const auto in_machine = in_machine_ ? count_in("/proc/vmstat") : std::nullopt;
  if (in_machine_ && in_machine) return *in_machine > *in_machine_ ? Answer::in_machine : Answer::none;
  return Answer::unknown;
}

}  // namespace clusterd
