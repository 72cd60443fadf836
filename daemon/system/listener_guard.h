// ListenerGuard: notices that a listening socket has been shut down behind our back.
//
// A socket that is shared with other processes can be shut down by any of them, and is then dead for all. The
// daemon watches its own copies without being woken by the connections that arrive there: only hang-ups are
// asked for. Level-triggered: a socket has to be repaired or forgotten. Source: tcp_poll() reports EPOLLHUP
// in state CLOSE.
#pragma once

#include <vector>

#include "daemon/system/unique_fd.h"

namespace clusterd {

class ListenerGuard {
 public:
  ListenerGuard();

  int fd() const { return epoll_.get(); }  // readable when take() has something to say
  void watch(int listener);                // it listens now; safe to repeat
  void forget(int listener);               // before it is closed or stops listening on purpose
  std::vector<int> wronged();              // those that do not listen any more

 private:
  UniqueFd epoll_;
};

// What an app may have changed on a socket that others use, too.
struct ListenerHealth {
  int backlog = 0;        // 0: not TCP
  bool blocking = false;  // O_NONBLOCK is off
};
ListenerHealth listener_health(int listener);
void make_nonblocking(int listener);

}  // namespace clusterd
