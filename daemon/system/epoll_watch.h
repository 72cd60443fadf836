// EpollWatches: the epoll instances in which a process waits for one of its sockets, and how they come to
// wait for the socket that takes its place.
//
// epoll watches open files, not descriptor numbers: whoever registers a socket before bind() (Boost.Asio,
// Netty's native transport) would never hear of connections on the socket that bind_takeover puts in place.
// Taken before the exchange, moved after it, while the caller sleeps in bind(). Needs the same rights as
// CallerSocket. Sources: epoll(7), proc_pid_fdinfo(5), pidfd_getfd(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct EpollEntry {
  std::uint32_t events = 0;
  std::uint64_t data = 0;
};

// What an epoll's fdinfo says of this descriptor of the process, if it is still the socket with this inode.
std::optional<EpollEntry> parse_epoll_entry(std::string_view fdinfo, int fd, ino_t inode);

class EpollWatches {
 public:
  static EpollWatches of(pid_t process, int fd, ino_t inode);

  bool empty() const { return watches_.empty(); }
  // The same events and data, for `replacement`, under the process's own number.
  Result<void> move_to(int replacement) const;

 private:
  struct Watch {
    UniqueFd epoll;  // a duplicate
    EpollEntry entry;
  };

  int fd_ = -1;
  std::vector<Watch> watches_;
};

}  // namespace clusterd
