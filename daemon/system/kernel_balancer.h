// KernelBalancer: the daemon's side of the in-kernel balancer (daemon/bpf/balancer.bpf.c).
//
// One for the whole daemon; hands out group and lane numbers, writes the maps, reads the counters in shared
// memory without a system call. Used by kernel_steering only. Everything ends with this object: the programs
// are not pinned.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "common/result.h"
#include "daemon/bpf/balancer_abi.h"
#include "daemon/system/balancer_loader.h"
#include "daemon/system/bpf_map.h"
#include "daemon/system/steering.h"

namespace clusterd {

struct GroupPlan {
  Spread spread = Spread::least_conn;
  std::vector<std::uint32_t> lanes;  // canaries last
  unsigned canaries = 0;
  unsigned canary_permille = 0;  // what they get together
  bool refuse = false;
};

class KernelBalancer {
 public:
  // counts: the counting program is attached, so that least_conn and counts() mean something.
  static Result<std::unique_ptr<KernelBalancer>> make(BalancerHandles handles);
  ~KernelBalancer();
  KernelBalancer(const KernelBalancer&) = delete;
  KernelBalancer& operator=(const KernelBalancer&) = delete;

  bool counts() const { return static_cast<bool>(counting_); }
  bool has_room() const { return !free_lanes_.empty(); }

  std::uint32_t add_group();
  void remove_group(std::uint32_t group);
  Result<void> write_group(std::uint32_t group, const GroupPlan& plan);

  Result<std::uint32_t> add_lane(std::uint32_t group, int fd);
  Result<void> lane_listens(std::uint32_t lane, int fd);
  // The listener stops listening: what waits in it moves to the others of its group.
  void remove_lane(std::uint32_t lane, int fd);
  void set_weight(std::uint32_t lane, unsigned weight);
  LaneCounts read(std::uint32_t lane) const;

  // Connections from this port of ours go to this lane, whatever its state.
  Result<void> direct(std::uint16_t port, std::uint32_t lane);
  void undirect(std::uint16_t port);

 private:
  KernelBalancer(BalancerHandles handles, balancer_shared* shared);

  BpfMap groups_;
  BpfMap members_;
  BpfMap marks_;
  BpfMap listeners_;
  BpfMap directed_;
  UniqueFd choose_;
  UniqueFd counting_;
  balancer_shared* shared_;
  std::deque<std::uint32_t> free_lanes_;  // the longest unused first: its last connections have long gone
  std::vector<std::uint32_t> free_groups_;
  std::uint32_t groups_made_ = 0;
};

}  // namespace clusterd
