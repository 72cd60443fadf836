#include "daemon/system/launch_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/launcher/launch_wire.h"
#include "daemon/system/launch_failure_text.h"

namespace clusterd {
namespace {

UniqueFd received_fd(msghdr& message) {
  UniqueFd received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    received.reset(fd);
  }
  return received;
}

}  // namespace

LaunchChannel::LaunchChannel(UniqueFd channel) : channel_(std::move(channel)) {}

LaunchChannel::State LaunchChannel::read() {
  while (state_ == State::waiting && receive_report()) {
  }
  return state_;
}

// True if a report was taken and more may follow.
bool LaunchChannel::receive_report() {
  wire::LaunchReport report;
  iovec part{&report, sizeof report};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;

  const ssize_t length = recvmsg(channel_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0 && errno == EAGAIN) return false;
  if (length <= 0) {  // a reset comes if the launcher was killed before it took its orders
    state_ = State::executed;
    return false;
  }
  UniqueFd fd = received_fd(message);
  if (length != sizeof report || report.magic != wire::kMagic) return true;
  report.subject[sizeof report.subject - 1] = 0;
  report.detail[sizeof report.detail - 1] = 0;
  switch (report.kind) {
    case wire::ReportKind::takeover:
      takeover_ = std::move(fd);
      // No descriptor came although one was sent: we have none left. The tree cannot bind then; see
      // bind_takeover.h.
      if (!takeover_) takeover_error_ = EMFILE;
      break;
    case wire::ReportKind::takeover_unavailable:
      takeover_error_ = report.error;
      break;
    case wire::ReportKind::failure:
      failure_ = {launch_stage_word(report.stage), report.error, launch_failure_sentence(report)};
      state_ = State::failed;
      break;
  }
  return true;
}

}  // namespace clusterd
