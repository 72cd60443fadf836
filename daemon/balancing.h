// Balancing: what this daemon can steer connections with, and the making of it.
//
// One for the daemon, owned by ProcessHost; lane groups ask it for their steering and for sockets whose
// connections are counted. Loading the in-kernel balancer begins with the constructor and is finished by
// whoever asks first. Holds everything that has to be taken away at the end: the cgroup folder, the programs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/balance_choice.h"
#include "daemon/system/balancer_loader.h"
#include "daemon/system/connection_cgroup.h"
#include "daemon/system/kernel_balancer.h"
#include "daemon/system/listener_guard.h"

namespace clusterd {

class Balancing {
 public:
  // Without `launcher_path` nothing is loaded, and all is done without privileges.
  explicit Balancing(const std::string& launcher_path);

  BalanceChoice choose(Balance asked, AddressFamily family) { return choose_balance(asked, family, means()); }
  const BalanceMeans& means();

  // Nothing for `shared`.
  std::unique_ptr<Steering> make_steering(Balance balance);
  void respread(Steering& steering, Balance balance);  // from the next choose() on
  ListenerGuard& guard() { return guard_; }
  // One whose connections are counted; empty where they cannot be: any other socket will do then.
  UniqueFd take_socket(AddressFamily family);

 private:
  void load(const std::string& launcher_path);
  void finish_loading();

  ListenerGuard guard_;
  BalanceMeans means_;
  std::optional<ConnectionCgroup> cgroup_;  // before the balancer: goes after it
  std::optional<BalancerLoader> loader_;
  std::unique_ptr<KernelBalancer> kernel_;
  std::map<int, std::vector<UniqueFd>> sockets_;  // by address family, ready to be used
};

}  // namespace clusterd
