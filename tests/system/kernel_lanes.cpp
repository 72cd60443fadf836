#include "kernel_lanes.h"

#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "daemon/system/balancer_loader.h"
#include "launched.h"

namespace clusterd::test {
namespace {

void load(LoadedBalancer& loaded) {
  auto cgroup = ConnectionCgroup::make();
  if (!cgroup) {
    loaded.missing = cgroup.error().message;
    return;
  }
  auto loader = BalancerLoader::start(launcher_path(), CLUSTERD_BIN_DIR "/clusterd-balancer", cgroup->path());
  if (!loader) {
    loaded.missing = loader.error().message;
    return;
  }
  auto handles = loader->finish();
  waitpid(-1, nullptr, 0);
  if (!handles) {
    loaded.missing = handles.error().message;
    return;
  }
  auto kernel = KernelBalancer::make(std::move(*handles));
  if (!kernel) {
    loaded.missing = kernel.error().message;
    return;
  }
  loaded.kernel = std::move(*kernel);
  loaded.cgroup.emplace(std::move(*cgroup));
}

UniqueFd counted_socket(int domain) {
  auto sockets = loaded_balancer().cgroup->create_sockets(domain, 1);
  if (!sockets) throw std::runtime_error(sockets.error().message);
  return std::move(sockets->front());
}

// Loopback is up, and what is sent to 10.0.0.0/8 gets lost in it: clients who never answer.
bool set_up_network() {
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq device{};
  std::strcpy(device.ifr_name, "lo");
  device.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(fd.get(), SIOCSIFFLAGS, &device) != 0) return false;
  rtentry route{};
  const auto fill = [](sockaddr& where, std::uint32_t address) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(address);
    std::memcpy(&where, &in, sizeof in);
  };
  fill(route.rt_dst, 0x0A000000);
  fill(route.rt_genmask, 0xFF000000);
  route.rt_flags = RTF_UP;
  route.rt_dev = device.ifr_name;
  return ioctl(fd.get(), SIOCADDRT, &route) == 0;
}

std::string checked(const std::function<std::string()>& check) {
  if (unshare(CLONE_NEWNET) != 0 || !set_up_network()) return "no private network";
  try {
    return check();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

LoadedBalancer& loaded_balancer() {
  static LoadedBalancer loaded = [] {
    LoadedBalancer fresh;
    load(fresh);
    return fresh;
  }();
  return loaded;
}

bool can_balance() {
  if (loaded_balancer().kernel) return true;
  WARN("skipped: " << loaded_balancer().missing);
  return false;
}

KernelLanes::KernelLanes(Spread spread, std::size_t count, const ListenAddress& address)
    : Lanes(std::make_unique<KernelSteering>(*loaded_balancer().kernel, spread), count, address,
            counted_socket) {}

std::string in_private_network(const std::function<std::string()>& check) {
  Pipe pipe;
  const pid_t child = fork();
  if (child == 0) {
    const std::string said = checked(check);
    const ssize_t written = write(pipe.write_end.get(), said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  pipe.write_end.reset();
  std::string said = read_text(pipe.read_end.get());
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) said += " (it ended with wait status " + std::to_string(status) + ")";
  return said;
}

bool set_sysctl(const std::string& name, const std::string& value) {
  std::ofstream file("/proc/sys/" + name);
  file << value << std::flush;
  return file.good();
}

}  // namespace clusterd::test
