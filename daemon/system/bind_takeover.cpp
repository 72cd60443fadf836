#include "daemon/system/bind_takeover.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <utility>

#include "daemon/system/caller_socket.h"
#include "daemon/system/epoll_watch.h"
#include "daemon/system/procfs.h"
#include "daemon/system/socket_options.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

// Every one of these calls can be cut short by a signal to the daemon (a child ends), and has done nothing
// then: a descriptor would not be in place, an answer would never come. seccomp_unotify(2).
int ask(int notify_fd, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ioctl(notify_fd, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

// Fills in what the policy needs to know; what cannot be found out stays empty, and the call is passed on.
void describe(const seccomp_notif& notification, SocketCall& call) {
  const auto status = read_task_status(static_cast<pid_t>(notification.pid));
  if (!status) return;
  call.pid = status->process;
  const auto socket = CallerSocket::open(call.pid, call.fd);
  if (!socket) return;
  call.socket_inode = socket->inode;
  if (call.kind == SocketCall::Kind::listen) return;
  call.reuse_port = socket->option(SOL_SOCKET, SO_REUSEPORT) > 0;
  if (!socket->replaceable() || !in_our_network(call.pid)) return;
  const RemoteAddress where{notification.data.args[1], notification.data.args[2] & 0xffffffffu};
  call.address = read_bind_address(call.pid, where, *socket);
  if (call.address) call.privileged_port_allowed = may_bind_port(call.pid, *status, call.address->port);
}

}  // namespace

BindTakeover::BindTakeover(UniqueFd notify_fd) : notify_(std::move(notify_fd)) {}

BindTakeover::Receive BindTakeover::receive(SocketCall& call) {
  // The ioctl waits when nothing is pending, whatever O_NONBLOCK says; poll does not. Nobody else receives
  // here, so what poll has seen is still counted when the ioctl comes, even if its task died in between
  // (ENOENT then).
  pollfd ready{notify_.get(), POLLIN, 0};
  if (poll(&ready, 1, 0) < 0) return Receive::nothing;
  if ((ready.revents & POLLIN) == 0) {
    return (ready.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 ? Receive::closed : Receive::nothing;
  }
  seccomp_notif notification{};
  if (ask(notify_.get(), SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) return Receive::nothing;

  call = SocketCall{};
  call.kind = notification.data.nr == SYS_listen ? SocketCall::Kind::listen : SocketCall::Kind::bind;
  call.cookie = notification.id;
  call.pid = static_cast<pid_t>(notification.pid);
  call.fd = static_cast<int>(notification.data.args[0]);
  describe(notification, call);
  // Only now is it sure that what was read belongs to the caller and not to a successor of its pid.
  return still_waiting(call.cookie) ? Receive::call : Receive::nothing;
}

void BindTakeover::pass(const SocketCall& call) { answer(call, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE); }

void BindTakeover::refuse(const SocketCall& call, int error) { answer(call, -error, 0); }

void BindTakeover::succeed(const SocketCall& call) { answer(call, 0, 0); }

Result<void> BindTakeover::substitute(const SocketCall& call, int our_fd) {
  const auto socket = CallerSocket::open(call.pid, call.fd);
  if (!socket) return fail(ErrorCode::failed, "the process has ended or closed its socket");
  const auto watches = EpollWatches::of(call.pid, call.fd, socket->inode);
  copy_changed_options(socket->duplicate.get(), our_fd);
  const int their_flags = fcntl(socket->duplicate.get(), F_GETFL);
  const int our_flags = fcntl(our_fd, F_GETFL);
  if ((their_flags & ~our_flags & O_NONBLOCK) != 0) fcntl(our_fd, F_SETFL, our_flags | O_NONBLOCK);

  seccomp_notif_addfd place{};
  place.id = call.cookie;
  place.flags = SECCOMP_ADDFD_FLAG_SETFD;
  place.srcfd = static_cast<std::uint32_t>(our_fd);
  place.newfd = static_cast<std::uint32_t>(call.fd);
  place.newfd_flags = is_close_on_exec(call.pid, call.fd) ? O_CLOEXEC : 0;
  if (ask(notify_.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &place) < 0) {
    return system_error("cannot put the shared socket in place", errno);
  }
  if (!watches.empty()) {
    if (auto moved = watches.move_to(our_fd); !moved) return moved;
  }
  answer(call, 0, 0);
  return {};
}

bool BindTakeover::still_waiting(std::uint64_t cookie) const {
  return ask(notify_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &cookie) == 0;
}

// ENOENT: the task is gone, nobody waits for the answer.
void BindTakeover::answer(const SocketCall& call, int error, std::uint32_t flags) {
  seccomp_notif_resp response{};
  response.id = call.cookie;
  response.error = error;
  response.flags = flags;
  ask(notify_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

bool tree_holds_socket(std::span<const pid_t> pids, ino_t socket_inode) {
  for (const pid_t pid : pids) {
    bool found = false;
    for_each_socket_of(pid, [&](ino_t inode, int) {
      found = inode == socket_inode;
      return !found;
    });
    if (found) return true;
  }
  return false;
}

}  // namespace clusterd
