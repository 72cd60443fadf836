#include "daemon/system/kernel_balancer.h"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <memory>

#include "daemon/system/listening_socket.h"
#include "daemon/system/system_error.h"

#ifndef SO_ATTACH_REUSEPORT_EBPF
#define SO_ATTACH_REUSEPORT_EBPF 52
#endif

namespace clusterd {
namespace {

std::uint64_t cookie_of(int fd) {
  std::uint64_t cookie = 0;
  socklen_t length = sizeof cookie;
  getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &length);
  return cookie;
}

std::uint32_t policy_of(Spread spread) {
  switch (spread) {
    case Spread::least_conn:
      return BALANCER_LEAST_CONN;
    case Spread::round_robin:
      return BALANCER_ROUND_ROBIN;
    case Spread::random:
      return BALANCER_RANDOM;
    case Spread::hash:
      return BALANCER_HASH;
  }
  return BALANCER_LEAST_CONN;
}

// The kernel changes these words, too.
template <class T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
template <class T>
void store(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
}

// As the kernel's side reckons it: bpf_ktime_get_ns() is CLOCK_MONOTONIC.
std::uint32_t present_window() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ns =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  return static_cast<std::uint32_t>(ns >> BALANCER_WINDOW_SHIFT);
}

}  // namespace

Result<std::unique_ptr<KernelBalancer>> KernelBalancer::make(BalancerHandles handles) {
  const UniqueFd shared = handles.take(wire::LoaderFd::shared);
  void* memory = mmap(nullptr, sizeof(balancer_shared), PROT_READ | PROT_WRITE, MAP_SHARED, shared.get(), 0);
  if (memory == MAP_FAILED) return system_error("cannot map the balancer's counters", errno);
  return std::unique_ptr<KernelBalancer>(
      new KernelBalancer(std::move(handles), static_cast<balancer_shared*>(memory)));
}

KernelBalancer::KernelBalancer(BalancerHandles handles, balancer_shared* shared)
    : groups_(handles.take(wire::LoaderFd::groups)),
      members_(handles.take(wire::LoaderFd::members)),
      marks_(handles.take(wire::LoaderFd::marks)),
      listeners_(handles.take(wire::LoaderFd::listeners)),
      directed_(handles.take(wire::LoaderFd::directed)),
      choose_(handles.take(wire::LoaderFd::choose)),
      counting_(handles.take(wire::LoaderFd::counting)),
      shared_(shared) {
  for (std::uint32_t lane = 0; lane < BALANCER_LANES_MAX; ++lane) free_lanes_.push_back(lane);
}

KernelBalancer::~KernelBalancer() { munmap(shared_, sizeof(balancer_shared)); }

std::uint32_t KernelBalancer::add_group() {
  if (free_groups_.empty()) return groups_made_++;
  const std::uint32_t group = free_groups_.back();
  free_groups_.pop_back();
  return group;
}

void KernelBalancer::remove_group(std::uint32_t group) {
  groups_.erase(group);
  free_groups_.push_back(group);
}

Result<void> KernelBalancer::write_group(std::uint32_t group, const GroupPlan& plan) {
  const auto& lanes = plan.lanes;
  balancer_group entry{};
  entry.policy = policy_of(plan.spread);
  entry.refuse = plan.refuse ? 1 : 0;
  entry.canaries = plan.canaries;
  entry.canary_permille = plan.canary_permille;
  entry.count = static_cast<std::uint32_t>(lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) entry.lanes[i] = static_cast<std::uint16_t>(lanes[i]);
  if (const int error = groups_.set(group, entry); error != 0) return system_error("cannot steer", error);
  return {};
}

Result<std::uint32_t> KernelBalancer::add_lane(std::uint32_t group, int fd) {
  if (free_lanes_.empty()) return fail(ErrorCode::failed, "no balancer lane is left");
  const std::uint32_t number = free_lanes_.front();
  balancer_lane& lane = shared_->lanes[number];
  // First the incarnation: a connection of the number's earlier life that ends now must not be counted here.
  store(lane.incarnation, lane.incarnation + 1);
  store<__s64>(lane.load, 0);
  store<__s64>(lane.open, 0);
  store<__u64>(lane.total, 0);
  store<__s64>(lane.handshakes[0], 0);
  store<__s64>(lane.handshakes[1], 0);
  store<__u32>(lane.weight, 1);

  const balancer_mark mark{number, lane.incarnation, 0};
  if (const int error = marks_.set(fd, mark); error != 0)
    return system_error("cannot mark a listener", error);
  const balancer_member member{group, number};
  if (const int error = members_.set(cookie_of(fd), member); error != 0) {
    return system_error("cannot register a listener", error);
  }
  free_lanes_.pop_front();
  return number;
}

// The program belongs to the group, which a socket joins by listening; one that has a group of its own before
// would conflict with the others (inet_csk_bind_conflict).
Result<void> KernelBalancer::lane_listens(std::uint32_t lane, int fd) {
  const int program = choose_.get();
  if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, &program, sizeof program) != 0) {
    return system_error("cannot attach the balancer", errno);
  }
  const auto value = static_cast<std::uint64_t>(fd);
  if (const int error = listeners_.set(lane, value); error != 0) {
    return system_error("cannot make a listener choosable", error);
  }
  return {};
}

void KernelBalancer::remove_lane(std::uint32_t lane, int fd) {
  listeners_.erase(lane);
  stop_listening(fd);  // while the program still knows whose queue it is that moves
  members_.erase(cookie_of(fd));
  free_lanes_.push_back(lane);
}

void KernelBalancer::set_weight(std::uint32_t lane, unsigned weight) {
  store<__u32>(shared_->lanes[lane].weight, weight == 0 ? 1 : weight);
}

Result<void> KernelBalancer::direct(std::uint16_t port, std::uint32_t lane) {
  const std::uint32_t key = htons(port);
  if (const int error = directed_.set(key, lane); error != 0)
    return system_error("cannot direct a probe", error);
  store<__u64>(shared_->directed, shared_->directed + 1);
  return {};
}

void KernelBalancer::undirect(std::uint16_t port) {
  const std::uint32_t key = htons(port);
  if (directed_.erase(key) == 0) store<__u64>(shared_->directed, shared_->directed - 1);
}

LaneCounts KernelBalancer::read(std::uint32_t number) const {
  const balancer_lane& lane = shared_->lanes[number];
  LaneCounts counts;
  counts.open = load(lane.open);
  counts.total = load(lane.total);
  // The kernel's side forgets old handshakes when it chooses among lanes; of one that gets nothing new, we
  // do.
  const std::uint32_t window = load(lane.window);
  const std::uint32_t windows_ago = present_window() - window;
  if (windows_ago <= 1) counts.handshakes += load(lane.handshakes[window & 1]);
  if (windows_ago == 0) counts.handshakes += load(lane.handshakes[(window + 1) & 1]);
  counts.handshakes = std::max<std::int64_t>(counts.handshakes, 0);
  return counts;
}

}  // namespace clusterd
