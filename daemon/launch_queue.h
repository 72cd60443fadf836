// LaunchQueue: how many launches may be under way at once, and who is next.
//
// A launch is under way from the process until it has become its program or ended. Hundreds at once make each
// of them slow, and the daemon deaf meanwhile; a few per CPU take no longer altogether. First come, first
// served. Owned by ProcessHost; decides only, starts nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_set>

#include "daemon/instance_host.h"

namespace clusterd {

class LaunchQueue {
 public:
  explicit LaunchQueue(std::size_t at_once) : at_once_(at_once) {}

  void add(LaunchOrder order) { waiting_.push_back(std::move(order)); }
  std::optional<LaunchOrder> next();  // may start now, and is under way from here on; none: wait
  void settled(InstanceKey key) { under_way_.erase(key); }
  std::optional<LaunchOrder> withdraw(InstanceKey key);  // none: it does not wait

 private:
  std::size_t at_once_;
  std::deque<LaunchOrder> waiting_;
  std::unordered_set<InstanceKey> under_way_;
};

// For a machine on which `cpus` CPUs may be used. Launches sleep now and then (disk, page faults), so there
// are more than CPUs; a program on a file system that hangs must not hold up the others.
std::size_t launches_at_once(int cpus);

}  // namespace clusterd
