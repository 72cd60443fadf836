#include "cli/prove/private_network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace clusterd::cli {
namespace {

std::unexpected<Error> denied(const std::string& what) {
  return fail(ErrorCode::denied,
              "no network of its own: " + what + ": " + std::strerror(errno) +
                  ". This machine or container does not allow it; with --here the app is run on its real "
                  "ports instead (stop the one that has them first)");
}

bool write_text(const char* path, const std::string& text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t written = write(fd, text.data(), text.size());
  int error = errno;
  close(fd);
  errno = error;
  return written == static_cast<ssize_t>(text.size());
}

std::string same(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

Result<> enter_with_user_name_space() {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return denied("unshare");
  // A group may be mapped only by who has given up to change its groups.
  bool mapped = write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", same(uid)) &&
                write_text("/proc/self/gid_map", same(gid));
  if (!mapped) return denied("user name space");
  return {};
}

Result<> bring_loopback_up() {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return denied("socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  int result = ioctl(fd, SIOCSIFFLAGS, &request);
  int error = errno;
  close(fd);
  errno = error;
  if (result != 0) return denied("loopback interface");
  return {};
}

}  // namespace

Result<> enter_private_network() {
  if (unshare(CLONE_NEWNET) != 0) {
    if (errno != EPERM) return denied("unshare");
    if (auto entered = enter_with_user_name_space(); !entered) return entered;
  }
  return bring_loopback_up();
}

}  // namespace clusterd::cli
