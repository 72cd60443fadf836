// KernelSteering: steers one group of lanes through the in-kernel balancer. See steering.h.
//
// Made by Balancing where the balancer is loaded; owned by a lane group. Gives its lanes back with its end.
#pragma once

#include <map>

#include "daemon/system/kernel_balancer.h"

namespace clusterd {

class KernelSteering final : public Steering {
 public:
  // `balancer` outlives this.
  KernelSteering(KernelBalancer& balancer, Spread spread);
  ~KernelSteering() override;

  void set_spread(Spread spread) override { spread_ = spread; }
  Result<void> add(int fd) override;
  Result<void> listening(int fd) override;
  void remove(int fd) override;
  Result<void> choose(std::span<const LaneShare> lanes, WhenNobody when_nobody) override;
  bool direct(std::uint16_t port, int fd) override;
  void undirect(std::uint16_t port) override { balancer_.undirect(port); }
  std::optional<LaneCounts> counts(int fd) const override;
  bool migrates() const override { return true; }

 private:
  KernelBalancer& balancer_;
  Spread spread_;
  std::uint32_t group_;
  std::map<int, std::uint32_t> lanes_;  // descriptor -> lane number
};

}  // namespace clusterd
