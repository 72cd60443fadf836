#include "daemon/balancing.h"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "daemon/system/classic_steering.h"
#include "daemon/system/kernel_steering.h"
#include "daemon/system/listening_socket.h"

namespace clusterd {
namespace {

constexpr int kSocketsAtOnce = 8;
constexpr const char* kProgram = "clusterd-balancer";

Spread spread_of(Balance balance) {
  switch (balance) {
    case Balance::round_robin:
      return Spread::round_robin;
    case Balance::random:
      return Spread::random;
    case Balance::hash:
      return Spread::hash;
    default:
      return Spread::least_conn;
  }
}

}  // namespace

Balancing::Balancing(const std::string& launcher_path) {
  if (launcher_path.empty()) {
    means_.missing = "not loaded";
  } else {
    load(launcher_path);
  }
}

void Balancing::load(const std::string& launcher_path) {
  std::string uncounted;
  if (auto cgroup = ConnectionCgroup::make(); cgroup) {
    cgroup_.emplace(std::move(*cgroup));
  } else {
    uncounted = "connections cannot be counted: " + cgroup.error().message;
  }
  const std::string program = std::filesystem::path(launcher_path).parent_path() / kProgram;
  auto loader = BalancerLoader::start(launcher_path, program, cgroup_ ? cgroup_->path() : "");
  if (loader) {
    means_.missing = uncounted;
    loader_.emplace(std::move(*loader));
  } else {
    means_.missing = loader.error().message;
    cgroup_.reset();
  }
}

const BalanceMeans& Balancing::means() {
  if (loader_) finish_loading();
  return means_;
}

void Balancing::finish_loading() {
  auto handles = loader_->finish();
  loader_.reset();
  if (handles) {
    if (!handles->uncounted.empty()) means_.missing = handles->uncounted;
    auto balancer = KernelBalancer::make(std::move(*handles));
    if (balancer) {
      kernel_ = std::move(*balancer);
      means_.kernel = true;
      means_.counting = kernel_->counts();
      return;
    }
    handles = fail(balancer.error());
  }
  means_.missing = handles.error().message;
  cgroup_.reset();
  spdlog::warn("no in-kernel balancer: {}", means_.missing);
}

void Balancing::respread(Steering& steering, Balance balance) { steering.set_spread(spread_of(balance)); }

std::unique_ptr<Steering> Balancing::make_steering(Balance balance) {
  if (balance == Balance::shared) return nullptr;
  if (means().kernel && kernel_->has_room()) {
    return std::make_unique<KernelSteering>(*kernel_, spread_of(balance));
  }
  return std::make_unique<ClassicSteering>(spread_of(balance));
}

UniqueFd Balancing::take_socket(AddressFamily family) {
  if (!means().counting || !cgroup_) return {};
  const int domain = socket_domain(family);
  std::vector<UniqueFd>& ready = sockets_[domain];
  if (ready.empty()) {
    auto made = cgroup_->create_sockets(domain, kSocketsAtOnce);
    if (!made) {
      spdlog::warn("connections of a new listener are not counted: {}", made.error().message);
      return {};
    }
    ready = std::move(*made);
  }
  UniqueFd socket = std::move(ready.back());
  ready.pop_back();
  return socket;
}

}  // namespace clusterd
