#include "daemon/system/listener_guard.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>

namespace clusterd {

ListenerGuard::ListenerGuard() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

void ListenerGuard::watch(int listener) {
  epoll_event hangups_only{};
  hangups_only.data.fd = listener;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener, &hangups_only);
}

void ListenerGuard::forget(int listener) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener, nullptr); }

std::vector<int> ListenerGuard::wronged() {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<int> listeners;
  for (int i = 0; i < count; ++i) listeners.push_back(events[static_cast<std::size_t>(i)].data.fd);
  return listeners;
}

// tcp_get_info() of a listener: its backlog stands where a connection has its selectively acknowledged
// segments.
ListenerHealth listener_health(int listener) {
  ListenerHealth health;
  health.blocking = (fcntl(listener, F_GETFL) & O_NONBLOCK) == 0;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &length) == 0)
    health.backlog = static_cast<int>(info.tcpi_sacked);
  return health;
}

void make_nonblocking(int listener) { fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK); }

}  // namespace clusterd
