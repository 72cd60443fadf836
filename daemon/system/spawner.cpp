#include "daemon/system/spawner.h"

// Boost.Process 1.81 asks an old _XOPEN_SOURCE for its vfork variant, which g++ never sets; the code behind
// is complete.
#define BOOST_POSIX_HAS_VFORK 1
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/posix.hpp>
#include <csignal>
#include <cstring>
#include <span>

#include "daemon/launcher/launch_wire.h"
#include "daemon/system/socket_pair.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

// The vfork child shares our memory until it executes: a signal handler of ours must not run in it. The
// launcher starts with everything blocked and unblocks when it is done, so nothing is lost either.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

Result<UniqueFd> sealed_memfd(const std::string& bytes) {
  UniqueFd memfd(memfd_create("clusterd-launch-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memfd) return system_error("cannot prepare a launch", errno);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(memfd.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR) return system_error("cannot prepare a launch", errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (fcntl(memfd.get(), F_ADD_SEALS, kSeals) != 0) return system_error("cannot prepare a launch", errno);
  return memfd;
}

Result<void> send_parcel(int channel, std::span<const int> fds, bool last) {
  wire::LaunchParcel parcel;
  parcel.fd_count = static_cast<std::uint32_t>(fds.size());
  parcel.last = last ? 1 : 0;
  iovec part{&parcel, sizeof parcel};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::kFdsPerParcelMax)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  if (sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return {};
  return system_error("cannot pass descriptors to the launcher", errno);
}

Result<void> queue_plan(int channel, const LaunchPlan& plan) {
  const auto bytes = encode(plan);
  if (!bytes) return fail(bytes.error());
  const auto memfd = sealed_memfd(*bytes);
  if (!memfd) return fail(memfd.error());

  std::vector<int> fds{memfd->get()};
  if (plan.out_fd >= 0) fds.push_back(plan.out_fd);
  if (plan.err_fd >= 0) fds.push_back(plan.err_fd);
  fds.insert(fds.end(), plan.cgroups.begin(), plan.cgroups.end());
  fds.insert(fds.end(), plan.sockets.begin(), plan.sockets.end());
  for (const PassedFd& one : plan.passed) fds.push_back(one.fd);
  for (std::span<const int> left = fds; !left.empty();) {
    const std::size_t count = std::min<std::size_t>(left.size(), wire::kFdsPerParcelMax);
    const auto sent = send_parcel(channel, left.first(count), count == left.size());
    if (!sent) return sent;
    left = left.subspan(count);
  }
  return {};
}

Result<pid_t> start(const std::string& launcher_path, int stdin_fd) {
  namespace bp = boost::process;
  const AllSignalsBlocked guard;
  std::error_code error;
  bp::environment nothing;
  bp::child child(bp::exe = launcher_path, bp::posix::fd.bind(STDIN_FILENO, stdin_fd), bp::posix::use_vfork,
                  nothing, error);
  const pid_t pid = child.id();
  child.detach();
  if (!error) return pid;
  return system_error("cannot start the launcher " + launcher_path + " (is the installation complete?)",
                      error.value());
}

}  // namespace

Result<Spawned> spawn_launcher(const std::string& launcher_path, const LaunchPlan& plan) {
  auto pair = open_socket_pair(SOCK_SEQPACKET, "cannot create a socket pair for a launch");
  if (!pair) return fail(pair.error());
  if (auto queued = queue_plan(pair->ours.get(), plan); !queued) return fail(queued.error());
  const auto pid = start(launcher_path, pair->theirs.get());
  if (!pid) return fail(pid.error());
  return Spawned{*pid, std::move(pair->ours)};
}

}  // namespace clusterd
