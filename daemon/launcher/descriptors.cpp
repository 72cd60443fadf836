#include "daemon/launcher/descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace clusterd::launcher {
namespace {

// A duplicate at or above `floor`, so that placing other descriptors below cannot overwrite it.
int lift(int fd, int floor, const Reporter& reporter, wire::Stage stage) {
  if (fd >= floor) return fd;
  const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, floor);
  if (lifted < 0) reporter.give_up(stage, errno);
  return lifted;
}

void put_at(int fd, int number, const Reporter& reporter, wire::Stage stage) {
  if (dup2(fd, number) < 0) reporter.give_up(stage, errno);
}

void close_on_exec_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC) == 0) return;
  // Before Linux 5.11, or under a sandbox that does not know the call.
  const long limit = sysconf(_SC_OPEN_MAX);
  for (long fd = first; fd < limit; ++fd) fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
}

// A pipe of which the program itself holds both ends in one descriptor: it never sees an end, needs nobody to
// hold the other side open, and survives the daemon, which opens it through /proc when there is a line for
// it. Opened by whoever we are about to become, /dev/stdin has to work, so the pipe is given to that user.
// -1: not to be had here (no /proc, no pipes left).
int open_input(const ReceivedPlan& plan) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
  const int both = open(path, O_RDWR | O_CLOEXEC);
  close(ends[0]);
  close(ends[1]);
  if (both < 0) return -1;
  // Pipes of a user have a budget in the kernel, and those of the output need it more. Refused: it stays
  // larger.
  fcntl(both, F_SETPIPE_SZ, wire::kInputPipeBytes);
  if (plan.has(wire::kHasIdentity)) {
    [[maybe_unused]] const int given = fchown(both, plan.header.uid, plan.header.gid);
  }
  return both;
}

}  // namespace

void place_descriptors(const ReceivedPlan& plan, Reporter& reporter) {
  const unsigned count = plan.placed_count();
  const int floor = wire::kFirstSocket + static_cast<int>(count);

  reporter.move_to(lift(reporter.channel(), floor, reporter, wire::Stage::stdio));
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (null < 0) reporter.give_up(wire::Stage::stdio, errno, "/dev/null");
  const int null_fd = lift(null, floor, reporter, wire::Stage::stdio);
  const int input = plan.has(wire::kHasInput) ? open_input(plan) : -1;
  const int in = input < 0 ? null_fd : lift(input, floor, reporter, wire::Stage::stdio);
  const int out = plan.out_fd < 0 ? null_fd : lift(plan.out_fd, floor, reporter, wire::Stage::stdio);
  const int err = plan.err_fd < 0 ? null_fd : lift(plan.err_fd, floor, reporter, wire::Stage::stdio);
  for (unsigned i = 0; i < count; ++i) {
    plan.socket_fds[i] = lift(plan.socket_fds[i], floor, reporter, wire::Stage::sockets);
  }

  put_at(in, STDIN_FILENO, reporter, wire::Stage::stdio);
  put_at(out, STDOUT_FILENO, reporter, wire::Stage::stdio);
  put_at(err, STDERR_FILENO, reporter, wire::Stage::stdio);
  for (unsigned i = 0; i < count; ++i) {
    put_at(plan.socket_fds[i], wire::kFirstSocket + static_cast<int>(i), reporter, wire::Stage::sockets);
  }
  close_on_exec_from(static_cast<unsigned>(floor));
}

}  // namespace clusterd::launcher
