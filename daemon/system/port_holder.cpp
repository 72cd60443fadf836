#include "daemon/system/port_holder.h"

#include <sys/types.h>

#include <cstdlib>
#include <sstream>
#include <unordered_set>

#include "daemon/system/procfs.h"

namespace clusterd {
namespace {

constexpr std::string_view kStateListen = "0A";
constexpr std::size_t kProcessesMax = 20'000;

// Lines: "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode ...", local_address
// "hex-ip:hex-port".
void collect_listeners(const std::string& table, std::uint16_t port, std::unordered_set<ino_t>& inodes) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, skipped;
    ino_t inode = 0;
    words >> slot >> local >> remote >> state >> skipped >> skipped >> skipped >> skipped >> skipped >> inode;
    const std::size_t colon = local.rfind(':');
    if (!words || state != kStateListen || colon == local.npos) continue;
    if (std::strtoul(local.c_str() + colon + 1, nullptr, 16) == port) inodes.insert(inode);
  }
}

bool holds_one_of(pid_t pid, const std::unordered_set<ino_t>& inodes) {
  bool found = false;
  for_each_socket_of(pid, [&](ino_t inode, int) {
    found = inodes.contains(inode);
    return !found;
  });
  return found;
}

}  // namespace

std::string describe_port_holder(std::uint16_t port) {
  std::unordered_set<ino_t> inodes;
  collect_listeners(read_proc_file("/proc/net/tcp"), port, inodes);
  collect_listeners(read_proc_file("/proc/net/tcp6"), port, inodes);
  if (inodes.empty()) return {};
  std::size_t looked_at = 0;
  for (const pid_t pid : all_processes()) {
    if (++looked_at > kProcessesMax) break;
    if (!holds_one_of(pid, inodes)) continue;
    const auto stat = read_process_stat(pid);
    return (stat ? stat->command : std::string("a process")) + " (pid " + std::to_string(pid) + ")";
  }
  return {};
}

}  // namespace clusterd
