#include "daemon/launcher/takeover_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace clusterd::launcher {
namespace {

#if defined(__x86_64__)
constexpr unsigned kNativeArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kNativeArch = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr unsigned kNativeArch = AUDIT_ARCH_RISCV64;
#else
#error "name the AUDIT_ARCH of this processor here"
#endif

constexpr unsigned long kWaitKillable = 1UL << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19

constexpr auto kArchOffset = static_cast<unsigned>(offsetof(seccomp_data, arch));
constexpr auto kNumberOffset = static_cast<unsigned>(offsetof(seccomp_data, nr));

// Other architectures (32-bit programs) and the x32 numbers match nothing and are allowed.
sock_filter instructions[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArchOffset),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNativeArch, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumberOffset),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_listen, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
};

int install(unsigned long flags) {
  sock_fprog program{sizeof instructions / sizeof instructions[0], instructions};
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

int install_or_fall_back() {
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable;
  int fd = install(flags);
  if (fd < 0 && errno == EINVAL) {
    flags &= ~kWaitKillable;
    fd = install(flags);
  }
  if (fd < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) fd = install(flags);
  return fd;
}

}  // namespace

void install_takeover_filter(const Reporter& reporter) {
  const int notify_fd = install_or_fall_back();
  if (notify_fd < 0) {
    reporter.takeover_unavailable(errno);
    return;
  }
  // From here on bind() works only while the daemon's side holds the descriptor: no copy there, no launch.
  if (!reporter.takeover(notify_fd)) reporter.give_up(wire::Stage::takeover, errno);
  close(notify_fd);
}

}  // namespace clusterd::launcher
