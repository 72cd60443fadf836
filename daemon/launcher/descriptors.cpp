#include "daemon/launcher/descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace

void place_descriptors(const ReceivedPlan& plan, Reporter& reporter) {
  const unsigned count = plan.placed_count();
  const int floor = wire::kFirstSocket + static_cast<int>(count);

  reporter.move_to(lift(reporter.channel(), floor, reporter, wire::Stage::stdio));
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (null < 0) reporter.give_up(wire::Stage::stdio, errno, "/dev/null");
  const int null_fd = lift(null, floor, reporter, wire::Stage::stdio);
  const int out = plan.out_fd < 0 ? null_fd : lift(plan.out_fd, floor, reporter, wire::Stage::stdio);
  const int err = plan.err_fd < 0 ? null_fd : lift(plan.err_fd, floor, reporter, wire::Stage::stdio);
  for (unsigned i = 0; i < count; ++i) {
    plan.socket_fds[i] = lift(plan.socket_fds[i], floor, reporter, wire::Stage::sockets);
  }

  put_at(null_fd, STDIN_FILENO, reporter, wire::Stage::stdio);
  put_at(out, STDOUT_FILENO, reporter, wire::Stage::stdio);
  put_at(err, STDERR_FILENO, reporter, wire::Stage::stdio);
  for (unsigned i = 0; i < count; ++i) {
    put_at(plan.socket_fds[i], wire::kFirstSocket + static_cast<int>(i), reporter, wire::Stage::sockets);
  }
  close_on_exec_from(static_cast<unsigned>(floor));
}

}  // namespace clusterd::launcher
