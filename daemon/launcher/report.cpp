#include "daemon/launcher/report.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace clusterd::launcher {
namespace {

void copy_text(char (&target)[wire::kDetailBytesMax], const char* text) {
  std::strncpy(target, text, sizeof target - 1);
}

}  // namespace

bool Reporter::takeover(int notify_fd) const {
  wire::LaunchReport report;
  report.kind = wire::ReportKind::takeover;
  return send(report, notify_fd);
}

void Reporter::takeover_unavailable(int error) const {
  wire::LaunchReport report;
  report.kind = wire::ReportKind::takeover_unavailable;
  report.error = error;
  send(report, -1);
}

void Reporter::give_up(wire::Stage stage, int error, const char* subject, wire::Fault fault,
                       const char* detail) const {
  wire::LaunchReport report;
  report.stage = stage;
  report.fault = fault;
  report.error = error;
  copy_text(report.subject, subject);
  copy_text(report.detail, detail);
  send(report, -1);
  _exit(wire::kExitStatus);
}

bool Reporter::send(const wire::LaunchReport& report, int fd) const {
  iovec part{const_cast<wire::LaunchReport*>(&report), sizeof report};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return sendmsg(channel_, &message, MSG_NOSIGNAL) == sizeof report;
}

}  // namespace clusterd::launcher
