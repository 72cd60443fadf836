// ClassicSteering: steers one group of lanes without any privilege, by a classic BPF program that is written
// anew at every change. See steering.h; what is not `hash` is `random`.
//
// The program answers with an index into the kernel's list of the group, so the list is mirrored here: a
// socket is appended when it begins to listen, and when one leaves, the last one takes its place
// (net/core/sock_reuseport.c: reuseport_add_sock, __reuseport_detach_sock). It cannot refuse, count or
// migrate.
#pragma once

#include <map>
#include <vector>

#include "daemon/system/steering.h"

namespace clusterd {

class ClassicSteering final : public Steering {
 public:
  explicit ClassicSteering(Spread spread) : spread_(spread) {}

  void set_spread(Spread spread) override { spread_ = spread; }
  Result<void> add(int fd) override;
  Result<void> listening(int fd) override;
  void remove(int fd) override;
  Result<void> choose(std::span<const LaneShare> lanes, WhenNobody when_nobody) override;
  bool direct(std::uint16_t port, int fd) override;
  void undirect(std::uint16_t port) override;
  std::optional<LaneCounts> counts(int) const override { return std::nullopt; }
  bool migrates() const override { return false; }

 private:
  Result<void> attach();
  std::size_t entries_of(const LaneShare& share) const;

  Spread spread_;
  std::vector<int> order_;  // as the kernel numbers them
  std::vector<LaneShare> chosen_;
  std::map<std::uint16_t, int> directed_;  // port of ours -> descriptor
};

}  // namespace clusterd
