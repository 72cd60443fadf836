#include "daemon/system/kernel_steering.h"

namespace clusterd {

KernelSteering::KernelSteering(KernelBalancer& balancer, Spread spread)
    : balancer_(balancer), spread_(spread), group_(balancer.add_group()) {}

KernelSteering::~KernelSteering() {
  for (const auto& [fd, lane] : lanes_) balancer_.remove_lane(lane, fd);
  balancer_.remove_group(group_);
}

Result<void> KernelSteering::add(int fd) {
  const auto lane = balancer_.add_lane(group_, fd);
  if (!lane) return fail(lane.error());
  lanes_[fd] = *lane;
  return {};
}

Result<void> KernelSteering::listening(int fd) { return balancer_.lane_listens(lanes_.at(fd), fd); }

void KernelSteering::remove(int fd) {
  const auto found = lanes_.find(fd);
  if (found == lanes_.end()) return;
  balancer_.remove_lane(found->second, fd);
  lanes_.erase(found);
}

Result<void> KernelSteering::choose(std::span<const LaneShare> lanes, WhenNobody when_nobody) {
  GroupPlan plan;
  plan.spread = spread_;
  std::vector<std::uint32_t> canaries;
  for (const LaneShare& share : lanes) {
    const std::uint32_t lane = lanes_.at(share.fd);
    balancer_.set_weight(lane, share.weight);
    (share.permille == 0 ? plan.lanes : canaries).push_back(lane);
    plan.canary_permille += share.permille;
  }
  plan.canaries = static_cast<unsigned>(canaries.size());
  plan.lanes.insert(plan.lanes.end(), canaries.begin(), canaries.end());
  plan.refuse = plan.lanes.empty() && when_nobody == WhenNobody::refuse;
  return balancer_.write_group(group_, plan);
}

bool KernelSteering::direct(std::uint16_t port, int fd) {
  const auto found = lanes_.find(fd);
  return found != lanes_.end() && balancer_.direct(port, found->second);
}

std::optional<LaneCounts> KernelSteering::counts(int fd) const {
  const auto found = lanes_.find(fd);
  if (!balancer_.counts() || found == lanes_.end()) return std::nullopt;
  return balancer_.read(found->second);
}

}  // namespace clusterd
