// NodeChannel: the daemon's end of the message channel that Node programs find under NODE_CHANNEL_FD.
//
// One per life of a Node program, owned by NodeWorker. Cuts what comes into lines, sends lines and sockets.
// Never blocks. A line above kNodeLineBytesMax is skipped; descriptors the program sends are closed by the
// kernel, for nothing is received with them. The end must stay open as long as the program lives: a cluster
// worker that sees end of file exits at once.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "daemon/system/node_outbox.h"

namespace clusterd {

inline constexpr std::size_t kNodeLineBytesMax = 1024 * 1024;
inline constexpr std::size_t kNodeBytesPerTurnMax = 1024 * 1024;  // so that a chatterbox starves nobody

class NodeChannel {
 public:
  static Result<NodeChannel> open();

  int fd() const { return ours_.get(); }
  int child_end() const { return theirs_.get(); }
  void close_child_end() { theirs_.reset(); }

  struct Received {
    std::vector<std::string> lines;  // without '\n'
    bool too_long = false;           // some line was skipped
    bool ended = false;              // the program has left the channel
  };
  Received receive();

  NodeOutbox& outbox() { return outbox_; }
  NodeOutbox::State flush() { return outbox_.flush(ours_.get()); }

 private:
  NodeChannel(UniqueFd ours, UniqueFd theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}
  void take(const char* bytes, std::size_t count, Received& received);

  UniqueFd ours_;
  UniqueFd theirs_;
  std::string partial_;
  bool skipping_ = false;
  NodeOutbox outbox_;
};

// A second descriptor of a listening socket, for an event loop: accept() must not block there when another
// instance was faster. O_NONBLOCK belongs to the socket and so holds for all who share it. Empty: out of
// descriptors.
UniqueFd duplicate_for_event_loop(int fd);

}  // namespace clusterd
