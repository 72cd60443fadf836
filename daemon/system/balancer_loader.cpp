#include "daemon/system/balancer_loader.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "daemon/system/capabilities.h"
#include "daemon/system/socket_pair.h"
#include "daemon/system/spawner.h"

namespace clusterd {
namespace {

constexpr int kAnswerTimeMs = 2'000;

Result<void> check_rights() {
  if (has_capability(Capability::sys_admin)) return {};
  if (!has_capability(Capability::bpf))
    return fail(ErrorCode::denied, "needs CAP_BPF and CAP_NET_ADMIN, or root");
  if (!has_capability(Capability::net_admin))
    return fail(ErrorCode::denied, "needs CAP_NET_ADMIN beside CAP_BPF");
  return {};
}

}  // namespace

Result<BalancerLoader> BalancerLoader::start(const std::string& launcher_path,
                                             const std::string& program_path,
                                             const std::string& cgroup_path) {
  if (auto allowed = check_rights(); !allowed) return fail(allowed.error());
  std::error_code ignored;
  if (!std::filesystem::exists(program_path, ignored)) {
    return fail(ErrorCode::not_found,
                program_path + " is not installed (it is built where clang and libbpf are)");
  }
  auto pair = open_socket_pair(SOCK_SEQPACKET, "cannot create a socket pair");
  if (!pair) return fail(pair.error());
  LaunchPlan plan;
  plan.argv = {program_path};
  if (!cgroup_path.empty()) plan.argv.push_back(cgroup_path);
  plan.sockets = {pair->theirs.get()};
  auto spawned = spawn_launcher(launcher_path, plan);
  if (!spawned) return fail(spawned.error());
  return BalancerLoader(std::move(pair->ours));
}

Result<BalancerHandles> BalancerLoader::finish() {
  pollfd readable{channel_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&readable, 1, kAnswerTimeMs);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return fail(ErrorCode::failed, "clusterd-balancer did not answer");

  wire::LoaderReport report;
  iovec body{&report, sizeof report};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::kLoaderFdCount)> control{};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t received = recvmsg(channel_.get(), &message, MSG_CMSG_CLOEXEC);
  if (received == 0) return fail(ErrorCode::failed, "clusterd-balancer ended without an answer");
  if (received != sizeof report) return fail(ErrorCode::failed, "clusterd-balancer is of another version");
  BalancerHandles handles;
  unsigned count = 0;
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&message); rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    count = static_cast<unsigned>((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (unsigned i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(rights) + i * sizeof(int), sizeof fd);
      handles.fds[i].reset(fd);
    }
  }
  if (report.error != 0) return fail(ErrorCode::failed, std::string(report.sentence));
  if (count != report.fd_count) return fail(ErrorCode::failed, "out of descriptors");
  handles.uncounted = report.sentence;
  return handles;
}

}  // namespace clusterd
