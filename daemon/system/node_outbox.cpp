#include "daemon/system/node_outbox.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace clusterd {

bool NodeOutbox::has_room(std::size_t bytes) const {
  return bytes_ + bytes <= kNodeOutboxBytesMax && lines_.size() + urgent_.size() < kNodeOutboxLinesMax;
}

bool NodeOutbox::add(std::string line, UniqueFd socket) {
  if (!has_room(line.size())) return false;
  bytes_ += line.size();
  lines_.push_back({std::move(line), 0, std::move(socket), 0});
  return true;
}

bool NodeOutbox::add_urgent(std::string line) {
  if (!has_room(line.size())) return false;
  bytes_ += line.size();
  urgent_.push_back({std::move(line), 0, {}, 0});
  return true;
}

void NodeOutbox::drop_front() {
  bytes_ -= lines_.front().bytes.size();
  lines_.pop_front();
  waiting_ = false;
}

void NodeOutbox::acknowledged() {
  if (waiting_) drop_front();
}

void NodeOutbox::lost() {
  if (!waiting_) return;
  Line& line = lines_.front();
  if (line.retransmissions++ == kHandleRetransmissionsMax) {
    gave_up_ = true;
    return drop_front();
  }
  line.done = 0;
  waiting_ = false;
}

// A line that has begun is finished first; then urgent ones.
NodeOutbox::Line* NodeOutbox::next() {
  const bool begun = !lines_.empty() && !waiting_ && lines_.front().done > 0;
  if (!begun && !urgent_.empty()) return &urgent_.front();
  return lines_.empty() || waiting_ ? nullptr : &lines_.front();
}

void NodeOutbox::written(const Line& line) {
  if (!urgent_.empty() && &line == &urgent_.front()) {
    bytes_ -= line.bytes.size();
    urgent_.pop_front();
  } else if (line.socket) {
    waiting_ = true;
  } else {
    drop_front();
  }
}

NodeOutbox::State NodeOutbox::flush(int channel) {
  while (Line* line = next()) {
    switch (write(channel, *line)) {
      case Outcome::whole:
        written(*line);
        break;
      case Outcome::blocked:
        return State::blocked;
      case Outcome::broken:
        lines_.clear();
        urgent_.clear();
        bytes_ = 0;
        waiting_ = false;
        return State::broken;
    }
  }
  return State::idle;
}

// The socket travels with the first byte.
NodeOutbox::Outcome NodeOutbox::write(int channel, Line& line) {
  while (line.done < line.bytes.size()) {
    iovec part{line.bytes.data() + line.done, line.bytes.size() - line.done};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (line.socket && line.done == 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      const int fd = line.socket.get();
      std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    const ssize_t sent = sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      line.done += static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      return errno == EAGAIN ? Outcome::blocked : Outcome::broken;
    }
  }
  return Outcome::whole;
}

}  // namespace clusterd
