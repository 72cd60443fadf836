// KernelLanes: lanes under the in-kernel balancer, which is loaded once for the whole suite.
//
// Loading needs root (or CAP_BPF and CAP_NET_ADMIN), cgroup v2 and clusterd-balancer; where one of them is
// missing the tests say so and check nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/system/connection_cgroup.h"
#include "daemon/system/kernel_balancer.h"
#include "daemon/system/kernel_steering.h"
#include "lanes.h"

namespace clusterd::test {

struct LoadedBalancer {
  std::optional<ConnectionCgroup> cgroup;
  std::unique_ptr<KernelBalancer> kernel;
  std::string missing;  // why there is none
};
LoadedBalancer& loaded_balancer();

// Says by a warning why not.
bool can_balance();

struct KernelLanes : Lanes {
  KernelLanes(Spread spread, std::size_t count, const ListenAddress& address = loopback());
};

// Runs `check` in a forked process with a network name space of its own, in which loopback is up and nothing
// else exists; what it returns is empty or says what was wrong. It must not use Catch2.
std::string in_private_network(const std::function<std::string()>& check);
bool set_sysctl(const std::string& name, const std::string& value);  // "net/ipv4/tcp_syncookies"

}  // namespace clusterd::test
