// clusterd-balancer: loads the in-kernel balancer for the daemon, hands over its descriptors and ends.
//
// A program of its own because libbpf and what it needs for one moment (ELF, the verifier's log) would stay
// in the daemon for ever, and because a machine without libbpf still has a daemon. Started by the daemon
// (daemon/system/balancer_loader) with one end of a SOCK_SEQPACKET pair as fd 3 and, as its argument, the
// cgroup v2 folder whose connections are to be counted; without an argument nothing is counted. One message
// goes back: LoaderReport, with the descriptors in the order of LoaderFd on success.
//
// Nothing is pinned: what is loaded here lives as long as the daemon holds the descriptors, and no longer.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "daemon/bpf/loader_wire.h"

// The object is part of this program: nothing to look for at run time.
asm(".section .rodata\n"
    ".balign 16\n"
    ".global clusterd_balancer_object\n"
    "clusterd_balancer_object:\n"
    ".incbin \"" CLUSTERD_BALANCER_OBJECT
    "\"\n"
    ".global clusterd_balancer_object_end\n"
    "clusterd_balancer_object_end:\n"
    ".previous\n");
extern "C" const char clusterd_balancer_object[];
extern "C" const char clusterd_balancer_object_end[];

namespace {

using clusterd::wire::kLoaderFdCount;
using clusterd::wire::LoaderFd;
using clusterd::wire::LoaderReport;

constexpr int kDaemon = 3;

char last_complaint[sizeof(LoaderReport::sentence)] = "";

// libbpf prints page after page of the verifier's log; the first line says what is wrong.
int keep_first_complaint(libbpf_print_level level, const char* format, va_list arguments) {
  if (level == LIBBPF_WARN && last_complaint[0] == '\0') {
    vsnprintf(last_complaint, sizeof last_complaint, format, arguments);
    last_complaint[strcspn(last_complaint, "\n")] = '\0';
  }
  return 0;
}

void describe(LoaderReport& report, const char* stage, int error) {
  snprintf(report.sentence, sizeof report.sentence, "%s: %s%s%.150s", stage, strerror(error),
           last_complaint[0] != '\0' ? "; " : "", last_complaint);
}

int fail(const char* stage, int error) {
  LoaderReport report;
  report.error = error == 0 ? EIO : error;
  describe(report, stage, report.error);
  return send(kDaemon, &report, sizeof report, MSG_NOSIGNAL) < 0 ? 2 : 1;
}

int hand_over(const std::array<int, kLoaderFdCount>& fds, unsigned count, LoaderReport report) {
  report.fd_count = count;
  iovec body{&report, sizeof report};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kLoaderFdCount)] = {};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(rights), fds.data(), sizeof(int) * count);
  return sendmsg(kDaemon, &message, MSG_NOSIGNAL) < 0 ? 2 : 0;
}

int attach_counting(const bpf_object* object, const char* cgroup_path) {
  const bpf_program* count = bpf_object__find_program_by_name(object, "count");
  const int cgroup = open(cgroup_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (cgroup < 0) return -errno;
  // A link, not a plain attachment: the kernel takes it away with its last descriptor, whatever ends the
  // daemon.
  return bpf_link_create(bpf_program__fd(count), cgroup, BPF_CGROUP_SOCK_OPS, nullptr);
}

}  // namespace

int main(int argument_count, char** arguments) {
  libbpf_set_print(keep_first_complaint);
  libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
  // Kernels before 5.11 count maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);

  const auto size = static_cast<std::size_t>(clusterd_balancer_object_end - clusterd_balancer_object);
  bpf_object* object = bpf_object__open_mem(clusterd_balancer_object, size, nullptr);
  if (object == nullptr) return fail("cannot read the program", errno);
  if (const int error = bpf_object__load(object); error != 0)
    return fail("the kernel refuses the program", -error);

  std::array<int, kLoaderFdCount> fds{};
  unsigned count = 0;
  for (const char* map : {"shared", "groups", "members", "marks", "listeners", "directed"})
    fds[count++] = bpf_object__find_map_fd_by_name(object, map);
  fds[count++] = bpf_program__fd(bpf_object__find_program_by_name(object, "choose"));
  LoaderReport report;
  if (argument_count > 1) {
    fds[count] = attach_counting(object, arguments[1]);
    // Choosing works without: better turns than nothing.
    if (fds[count] < 0) {
      describe(report, "connections cannot be counted", -fds[count]);
    } else {
      ++count;
    }
  }
  return hand_over(fds, count, report);
}
