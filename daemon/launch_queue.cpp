#include "daemon/launch_queue.h"

#include <algorithm>

namespace clusterd {
namespace {

constexpr int kLaunchesPerCpu = 8;
constexpr int kLaunchesMin = 16;

}  // namespace

std::optional<LaunchOrder> LaunchQueue::next() {
  if (waiting_.empty() || under_way_.size() >= at_once_) return std::nullopt;
  LaunchOrder order = std::move(waiting_.front());
  waiting_.pop_front();
  under_way_.insert(order.key);
  return order;
}

std::optional<LaunchOrder> LaunchQueue::withdraw(InstanceKey key) {
  const auto found = std::ranges::find(waiting_, key, &LaunchOrder::key);
  if (found == waiting_.end()) return std::nullopt;
  LaunchOrder order = std::move(*found);
  waiting_.erase(found);
  return order;
}

std::size_t launches_at_once(int cpus) {
  return static_cast<std::size_t>(std::max(kLaunchesMin, cpus * kLaunchesPerCpu));
}

}  // namespace clusterd
