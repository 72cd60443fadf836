#include "daemon/system/notify_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "daemon/system/patient_close.h"
#include "daemon/system/socket_address.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::size_t kFdsPerMessageMax = 253;  // the kernel's limit

// Gives the sender; of the descriptors that came along the first is kept, the others are closed.
std::optional<ucred> take_ancillary(msghdr& message, PatientFd& kept) {
  std::optional<ucred> sender;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    if (header->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&sender.emplace(), CMSG_DATA(header), sizeof(ucred));
    }
    if (header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      if (kept) {
        close_patiently(fd);
      } else {
        kept = PatientFd(fd);
      }
    }
  }
  return sender;
}

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

void apply_field(NotifyMessage& message, std::string_view key, std::string_view value) {
  const bool on = value == "1";
  if (key == "READY") message.ready = on;
  if (key == "RELOADING") message.reloading = on;
  if (key == "STOPPING") message.stopping = on;
  if (key == "WATCHDOG") message.watchdog = on;
  if (key == "WATCHDOG") message.watchdog_trigger = value == "trigger";
  if (key == "WATCHDOG_USEC") message.watchdog_usec = to_number<std::uint64_t>(value);
  if (key == "EXTEND_TIMEOUT_USEC") message.extend_timeout_usec = to_number<std::uint64_t>(value);
  if (key == "MONOTONIC_USEC") message.monotonic_usec = to_number<std::uint64_t>(value);
  if (key == "STATUS") message.status = std::string(value);
  if (key == "MAINPID") message.main_pid = to_number<pid_t>(value);
  if (key == "ERRNO") message.error = to_number<int>(value);
}

enum class Taken { message, rubbish, nothing };

Taken receive_one(int fd, NotifyMessage& message) {
  std::array<char, kNotifyBytesMax + 1> text;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int) * kFdsPerMessageMax)>
      control;
  iovec part{text.data(), text.size()};
  msghdr datagram{};
  datagram.msg_iov = &part;
  datagram.msg_iovlen = 1;
  datagram.msg_control = control.data();
  datagram.msg_controllen = control.size();

  const ssize_t length = recvmsg(fd, &datagram, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0) return errno == EINTR ? Taken::rubbish : Taken::nothing;
  PatientFd kept;
  const auto sender = take_ancillary(datagram, kept);
  const auto size = static_cast<std::size_t>(length);
  if ((datagram.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || size > kNotifyBytesMax) return Taken::rubbish;
  if (!sender || sender->pid <= 0) return Taken::rubbish;
  std::string_view body(text.data(), size);
  if (body.ends_with('\0')) body.remove_suffix(1);
  if (body.find('\0') != body.npos) return Taken::rubbish;
  message = parse_notify_text(body);
  // It has to stand alone: sd_pid_notify_barrier(3).
  if (body == "BARRIER=1" || body == "BARRIER=1\n") message.barrier = std::move(kept);
  message.pid = sender->pid;
  message.uid = sender->uid;
  return Taken::message;
}

}  // namespace

NotifyMessage parse_notify_text(std::string_view text) {
  NotifyMessage message;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t equals = line.find('=');
    if (equals != line.npos) apply_field(message, line.substr(0, equals), line.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return message;
}

Result<NotifySocket> NotifySocket::create(std::string path) {
  const auto where = to_socket_address({.family = AddressFamily::unix_stream, .path = path});
  if (!where) return fail(where.error());
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return system_error("cannot create a notify socket", errno);
  const int on = 1;
  if (setsockopt(fd.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return system_error("cannot ask for the senders of notify messages", errno);
  }
  const bool is_file = path[0] != '@';
  struct stat about;
  if (is_file && lstat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode)) unlink(path.c_str());
  if (bind(fd.get(), where->get(), where->length) != 0) return system_error("cannot create " + path, errno);
  if (is_file && chmod(path.c_str(), 0666) != 0) return system_error("cannot set the mode of " + path, errno);
  return NotifySocket(std::move(fd), std::move(path));
}

NotifySocket::NotifySocket(UniqueFd socket, std::string path)
    : socket_(std::move(socket)), path_(std::move(path)) {}

NotifySocket::NotifySocket(NotifySocket&& other) noexcept
    : socket_(std::move(other.socket_)), path_(std::exchange(other.path_, {})) {}

NotifySocket& NotifySocket::operator=(NotifySocket&& other) noexcept {
  if (this == &other) return *this;
  remove_file();
  socket_ = std::move(other.socket_);
  path_ = std::exchange(other.path_, {});
  return *this;
}

NotifySocket::~NotifySocket() { remove_file(); }

void NotifySocket::remove_file() {
  if (socket_ && path_.starts_with('/')) unlink(path_.c_str());
}

std::vector<NotifyMessage> NotifySocket::receive() {
  std::vector<NotifyMessage> messages;
  for (std::size_t i = 0; i < kNotifyMessagesMax; ++i) {
    NotifyMessage message;
    const Taken taken = receive_one(socket_.get(), message);
    if (taken == Taken::nothing) break;
    if (taken == Taken::message) messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace clusterd
