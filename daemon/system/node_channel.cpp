#include "daemon/system/node_channel.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "daemon/system/socket_pair.h"

namespace clusterd {

Result<NodeChannel> NodeChannel::open() {
  auto pair = open_socket_pair(SOCK_STREAM, "cannot create the message channel of a Node program");
  if (!pair) return fail(pair.error());
  return NodeChannel(std::move(pair->ours), std::move(pair->theirs));
}

NodeChannel::Received NodeChannel::receive() {
  Received received;
  static std::array<char, 64 * 1024> buffer;
  for (std::size_t total = 0; total < kNodeBytesPerTurnMax;) {
    const ssize_t count = recv(ours_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {
      received.ended = true;
      break;
    }
    take(buffer.data(), static_cast<std::size_t>(count), received);
    total += static_cast<std::size_t>(count);
  }
  return received;
}

void NodeChannel::take(const char* bytes, std::size_t count, Received& received) {
  const char* const end = bytes + count;
  while (bytes != end) {
    const char* const newline = std::find(bytes, end, '\n');
    const auto length = static_cast<std::size_t>(newline - bytes);
    if (!skipping_ && partial_.size() + length > kNodeLineBytesMax) {
      skipping_ = true;
      received.too_long = true;
      partial_ = {};
    }
    if (!skipping_) partial_.append(bytes, length);
    if (newline == end) return;
    if (!skipping_) received.lines.push_back(std::exchange(partial_, {}));
    skipping_ = false;
    bytes = newline + 1;
  }
}

UniqueFd duplicate_for_event_loop(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  const int flags = copy ? fcntl(copy.get(), F_GETFL) : -1;
  if (flags >= 0) fcntl(copy.get(), F_SETFL, flags | O_NONBLOCK);
  return copy;
}

}  // namespace clusterd
