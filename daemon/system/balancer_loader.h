// BalancerLoader: has clusterd-balancer put the in-kernel balancer into the kernel, and gets its descriptors.
//
// Started by the daemon before anything needs a balancer; finish() is asked by the first app that opens a
// port, which is normally later than the few milliseconds it takes. Nothing is loaded where the rights are
// missing. The process is reaped by reap_children() like any other.
#pragma once

#include <array>
#include <string>

#include "common/result.h"
#include "daemon/bpf/loader_wire.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct BalancerHandles {
  std::array<UniqueFd, wire::kLoaderFdCount> fds;  // in the order of wire::LoaderFd
  std::string uncounted;                           // why connections are not, though it was asked for
  UniqueFd take(wire::LoaderFd which) { return std::move(fds[static_cast<unsigned>(which)]); }
};

class BalancerLoader {
 public:
  // `cgroup_path` empty: connections are not counted. The error says why there will be no balancer.
  static Result<BalancerLoader> start(const std::string& launcher_path, const std::string& program_path,
                                      const std::string& cgroup_path);

  // Waits for the answer, two seconds at most.
  Result<BalancerHandles> finish();

 private:
  explicit BalancerLoader(UniqueFd channel) : channel_(std::move(channel)) {}

  UniqueFd channel_;
};

}  // namespace clusterd
