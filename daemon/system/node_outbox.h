// NodeOutbox: lines and sockets on their way to a Node process, in order, one socket at a time.
//
// Node acknowledges every socket (NODE_HANDLE_ACK) or says that it got lost (NODE_HANDLE_NACK); the next line
// waits for that. Owned by NodeChannel. Never blocks: what the channel does not take now stays, up to
// kNodeOutboxBytesMax; a process that does not read loses messages, not the daemon.
// Source: target._send in lib/internal/child_process.js.
#pragma once

#include <deque>
#include <string>

#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr std::size_t kNodeOutboxBytesMax = 1024 * 1024;
inline constexpr std::size_t kNodeOutboxLinesMax = 1024;
inline constexpr int kHandleRetransmissionsMax = 3;  // as Node's own

class NodeOutbox {
 public:
  // `line` with its '\n'. False: full, and the line is lost.
  bool add(std::string line, UniqueFd socket = {});
  // An acknowledgement of ours, which must not wait for theirs.
  bool add_urgent(std::string line);

  void acknowledged();  // the socket has arrived
  void lost();          // it has not: again, and after kHandleRetransmissionsMax never
  bool gave_up_on_socket() { return std::exchange(gave_up_, false); }

  enum class State { idle, blocked, broken };
  State flush(int channel);

 private:
  struct Line {
    std::string bytes;
    std::size_t done = 0;
    UniqueFd socket;
    int retransmissions = 0;
  };
  enum class Outcome { whole, blocked, broken };

  bool has_room(std::size_t bytes) const;
  Line* next();
  void written(const Line& line);
  static Outcome write(int channel, Line& line);
  void drop_front();

  std::deque<Line> lines_;
  std::deque<Line> urgent_;
  std::size_t bytes_ = 0;
  bool waiting_ = false;  // the first of lines_ is written and has a socket
  bool gave_up_ = false;
};

}  // namespace clusterd
