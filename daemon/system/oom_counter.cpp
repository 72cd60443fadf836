#include "daemon/system/oom_counter.h"

#include <algorithm>
#include <charconv>

#include "daemon/system/cgroup_folder.h"
#include "daemon/system/procfs.h"

namespace clusterd {
namespace {

constexpr std::string_view kKey = "oom_kill";

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

// Where version 1 has the memory controller, version 2 has not.
std::optional<std::string> oom_file(std::string_view cgroup_text, std::string_view mountinfo_text) {
  if (const auto folder = cgroup_folder(cgroup_text, mountinfo_text, "memory"))
    return *folder + "/memory.oom_control";
  const auto unified = cgroup_folder(cgroup_text, mountinfo_text, kUnified);
  return unified ? std::optional(*unified + "/memory.events") : std::nullopt;
}

OomCounter OomCounter::of(pid_t pid) {
  static const std::string mounts = read_proc_file("/proc/self/mountinfo");
  OomCounter counter;
  counter.cgroup_file_ = oom_file(read_proc_file(proc_path(pid, "cgroup")), mounts).value_or("");
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
