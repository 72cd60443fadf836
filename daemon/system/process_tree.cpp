#include "daemon/system/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::string_view kMarkerKey = "CLUSTERD_INSTANCE=";

using ChildrenOf = std::function<std::vector<pid_t>(pid_t)>;

void append_pids(std::vector<pid_t>& pids, std::string_view text) {
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(at, end, pid);
    if (parsed.ec == std::errc{}) pids.push_back(pid);
    at = parsed.ptr;
  }
}

// Children belong to the thread that created them, so every thread is asked.
std::vector<pid_t> children_by_task(pid_t pid) {
  std::vector<pid_t> pids;
  std::error_code error;
  for (std::filesystem::directory_iterator task(proc_path(pid, "task"), error), end; !error && task != end;
       task.increment(error)) {
    append_pids(pids, read_proc_file(task->path().string() + "/children"));
  }
  return pids;
}

// For kernels without CONFIG_PROC_CHILDREN: one pass over all processes.
ChildrenOf children_by_scan() {
  std::unordered_multimap<pid_t, pid_t> by_parent;
  for (const pid_t pid : all_processes()) {
    if (const auto stat = read_process_stat(pid)) by_parent.emplace(stat->parent, pid);
  }
  return [by_parent = std::move(by_parent)](pid_t parent) {
    std::vector<pid_t> pids;
    const auto [begin, end] = by_parent.equal_range(parent);
    for (auto entry = begin; entry != end; ++entry) pids.push_back(entry->second);
    return pids;
  };
}

ChildrenOf children_lookup() {
  static const bool has_children_files = access("/proc/thread-self/children", R_OK) == 0;
  if (has_children_files) return children_by_task;
  return children_by_scan();
}

void append_descendants(pid_t root, const ChildrenOf& children_of, std::unordered_set<pid_t>& seen,
                        std::vector<pid_t>& living) {
  std::vector<pid_t> parents{root};
  while (!parents.empty()) {
    std::vector<pid_t> next;
    for (const pid_t parent : parents) {
      for (const pid_t child : children_of(parent)) {
        if (!seen.insert(child).second) continue;
        next.push_back(child);
        const auto stat = read_process_stat(child);
        if (stat && stat->living()) living.push_back(child);
      }
    }
    parents = std::move(next);
  }
}

bool has_marker(pid_t pid, const std::string& marker) {
  if (marker.empty()) return false;
  const std::string environment = read_proc_file(proc_path(pid, "environ"));
  const std::string wanted = std::string(kMarkerKey) + marker;
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    if (std::string_view(environment).substr(at, end - at) == wanted) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::unordered_set<pid_t> seen{root};
  std::vector<pid_t> living;
  append_descendants(root, children_lookup(), seen, living);
  return living;
}

std::vector<pid_t> own_children() { return children_lookup()(getpid()); }

std::vector<pid_t> adopted_of(const ProcessTag& tag, const std::unordered_set<pid_t>& known_leaders,
                              const std::vector<pid_t>& children) {
  ChildrenOf children_of;
  std::unordered_set<pid_t> seen;
  std::vector<pid_t> living;
  for (const pid_t child : children) {
    if (known_leaders.contains(child) || child == tag.leader) continue;
    if (!children_of) children_of = children_lookup();
    const auto stat = read_process_stat(child);
    if (!stat) continue;
    if (stat->session != tag.leader && !has_marker(child, tag.marker)) continue;
    if (!seen.insert(child).second) continue;
    if (stat->living()) living.push_back(child);
    append_descendants(child, children_of, seen, living);
  }
  return living;
}

void kill_group(pid_t leader) {
  if (leader > 1 && kill(-leader, SIGKILL) != 0) kill(leader, SIGKILL);  // before its setsid()
}

Result<void> signal_process(pid_t pid, int signal) {
  if (pid < 2) return fail(ErrorCode::failed, "refused to signal pid " + std::to_string(pid));
  if (kill(pid, signal) == 0 || errno == ESRCH) return {};
  return system_error("cannot signal process " + std::to_string(pid), errno);
}

}  // namespace clusterd
