#include "daemon/launcher/received_plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace clusterd::launcher {
namespace {

int received_fds[wire::kDescriptorsMax];
unsigned received_count = 0;

// One parcel; true if more follow.
bool receive_parcel(const Reporter& reporter) {
  wire::LaunchParcel parcel;
  iovec part{&parcel, sizeof parcel};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * wire::kFdsPerParcelMax)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;

  ssize_t length = 0;
  do {
    length = recvmsg(reporter.channel(), &message, MSG_CMSG_CLOEXEC);
  } while (length < 0 && errno == EINTR);
  if (length < 0) reporter.give_up(wire::Stage::plan, errno);
  if (length == 0) _exit(wire::kExitStatus);  // the daemon died before it could say anything
  if (length != sizeof parcel || parcel.magic != wire::kMagic || parcel.version != wire::kVersion) {
    reporter.give_up(wire::Stage::plan, EPROTO);
  }
  if (message.msg_flags & MSG_CTRUNC) reporter.give_up(wire::Stage::plan, EMFILE);

  const unsigned before = received_count;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
    const unsigned count = static_cast<unsigned>(bytes / sizeof(int));
    if (received_count + count > wire::kDescriptorsMax) reporter.give_up(wire::Stage::plan, EMFILE);
    std::memcpy(received_fds + received_count, CMSG_DATA(header), bytes);
    received_count += count;
  }
  if (received_count - before != parcel.fd_count) reporter.give_up(wire::Stage::plan, EPROTO);
  return parcel.last == 0;
}

// Walks through the mapped plan; every step checks that it stays inside.
class PlanText {
 public:
  PlanText(char* begin, std::size_t size, const Reporter& reporter)
      : at_(begin), left_(size), reporter_(reporter) {}

  char* bytes(std::size_t count) {
    if (count > left_) reporter_.give_up(wire::Stage::plan, EPROTO);
    char* start = at_;
    at_ += count;
    left_ -= count;
    return start;
  }

  char* string() {
    const void* end = std::memchr(at_, 0, left_);
    if (!end) reporter_.give_up(wire::Stage::plan, EPROTO);
    return bytes(static_cast<std::size_t>(static_cast<const char*>(end) - at_) + 1);
  }

  char** strings(std::uint32_t count) {
    if (count > left_) reporter_.give_up(wire::Stage::plan, EPROTO);
    auto** list = static_cast<char**>(std::calloc(count + std::size_t{1}, sizeof(char*)));
    if (!list) reporter_.give_up(wire::Stage::plan, ENOMEM);
    for (std::uint32_t i = 0; i < count; ++i) list[i] = string();
    return list;
  }

 private:
  char* at_;
  std::size_t left_;
  const Reporter& reporter_;
};

PlanText map_plan(int memfd, const Reporter& reporter) {
  struct stat about;
  if (fstat(memfd, &about) != 0) reporter.give_up(wire::Stage::plan, errno);
  const auto size = static_cast<std::size_t>(about.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, memfd, 0);
  if (mapped == MAP_FAILED) reporter.give_up(wire::Stage::plan, errno);
  close(memfd);
  return PlanText(static_cast<char*>(mapped), size, reporter);
}

void assign_descriptors(ReceivedPlan& plan, const Reporter& reporter) {
  unsigned next = 1;  // the first one was the plan itself
  if (plan.has(wire::kHasOut)) plan.out_fd = received_fds[next++];
  if (plan.has(wire::kHasErr)) plan.err_fd = received_fds[next++];
  plan.cgroup_fds = received_fds + next;
  next += plan.header.cgroup_count;
  if (received_count != next + plan.placed_count()) reporter.give_up(wire::Stage::plan, EPROTO);
  plan.socket_fds = received_fds + next;
}

}  // namespace

ReceivedPlan receive_plan(const Reporter& reporter) {
  while (receive_parcel(reporter)) {
  }
  if (received_count == 0) reporter.give_up(wire::Stage::plan, EPROTO);

  ReceivedPlan plan;
  PlanText text = map_plan(received_fds[0], reporter);
  std::memcpy(&plan.header, text.bytes(sizeof plan.header), sizeof plan.header);
  plan.limits =
      reinterpret_cast<const wire::PlanLimit*>(text.bytes(plan.header.limit_count * sizeof(wire::PlanLimit)));
  plan.groups = reinterpret_cast<const gid_t*>(text.bytes(plan.header.group_count * sizeof(gid_t)));
  plan.cwd = text.string();
  plan.arguments = text.strings(plan.header.argument_count);
  plan.environment = text.strings(plan.header.environment_count);
  if (plan.header.argument_count == 0) reporter.give_up(wire::Stage::plan, EINVAL);
  assign_descriptors(plan, reporter);
  return plan;
}

}  // namespace clusterd::launcher
