// Wire form between clusterd-balancer (daemon/bpf/loader) and the daemon (daemon/system/balancer_loader): one
// message. Both come from one build; sizes differ if they do not, and the message is refused.
#pragma once

#include <cstdint>

namespace clusterd::wire {

enum class LoaderFd : unsigned {
  shared,     // map: counters of every lane
  groups,     // map: who gets connections
  members,    // map: cookie of a listener -> group and lane
  marks,      // map: socket-local storage
  listeners,  // map: lane -> listening socket
  directed,   // map: port of a client of ours -> lane
  choose,     // program, for SO_ATTACH_REUSEPORT_EBPF
  counting,   // link that counts connections; absent if none was asked for
};
inline constexpr unsigned kLoaderFdCount = 8;

struct LoaderReport {
  std::int32_t error = 0;      // errno, or 0
  std::uint32_t fd_count = 0;  // of the descriptors that come along
  char sentence[248] = "";     // what failed, for people; without an error: why nothing is counted
};

}  // namespace clusterd::wire
