#include "cli/connection.h"

#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytesMax = 64 * 1024;

Error lost() { return {ErrorCode::no_daemon, "connection to the daemon lost"}; }

std::string owner_name(uid_t uid) {
  const passwd* user = getpwuid(uid);
  return user != nullptr ? user->pw_name : "user " + std::to_string(uid);
}

// The socket itself may be out of sight; then its nearest visible parent tells whose place it is.
Error permission_denied(const std::string& path) {
  std::string message = "cannot reach the daemon at " + path + ": permission denied";
  struct stat info{};
  for (std::string at = path; !at.empty(); at.resize(at.rfind('/'))) {
    if (lstat(at.c_str(), &info) != 0) continue;
    std::string owner = owner_name(info.st_uid);
    message += "; " + at + " belongs to " + owner + ": run this as " + owner + ", or choose another --home";
    break;
  }
  return {ErrorCode::denied, message};
}

Error connect_error(const std::string& path, int error) {
  if (error == EACCES || error == EPERM) return permission_denied(path);
  if (error == ENOENT || error == ECONNREFUSED || error == ENOTDIR) {
    return {ErrorCode::no_daemon, "clusterd is not running (nobody answers at " + path + ")"};
  }
  return {ErrorCode::no_daemon, "cannot reach the daemon at " + path + ": " + std::strerror(error)};
}

// Milliseconds for poll(); -1: no limit.
int remaining_ms(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

bool can_be_read(int fd) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

enum class Ready { line, nothing, output_gone, input, failed };

Ready wait_ready(int fd, const Connection::Wait& wait, const std::optional<Clock::time_point>& deadline) {
  // POLLERR and POLLHUP come unasked. Not POLLRDHUP: it only says that nothing can be read from our output,
  // which is always so where that is the journal.
  std::array<pollfd, 3> fds{pollfd{fd, POLLIN, 0}, pollfd{wait.output_fd, 0, 0},
                            pollfd{wait.input_fd, POLLIN, 0}};
  while (true) {
    int count = poll(fds.data(), fds.size(), remaining_ms(deadline));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Ready::failed;
    if (count == 0) return Ready::nothing;
    if (fds[1].revents != 0) return Ready::output_gone;
    return fds[0].revents != 0 ? Ready::line : Ready::input;
  }
}

}  // namespace

Connection::Connection(int connected_fd) : fd_(connected_fd) {}
Connection::Connection(Connection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), reader_(std::move(other.reader_)) {}
Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

Result<Connection> Connection::open(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::usage, "the socket path " + socket_path + " is longer than the system allows");
  }
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(ErrorCode::failed, std::string("cannot make a socket: ") + std::strerror(errno));
  Connection connection(fd);
  int result = 0;
  do {
    result = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return fail(connect_error(socket_path, errno));
  return connection;
}

Result<> Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail(lost());
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<Connection::Received> Connection::receive(const Wait& wait) {
  std::optional<Clock::time_point> deadline;
  if (wait.limit) deadline = Clock::now() + *wait.limit;
  // Who talks without end must not keep us from being heard.
  input_turn_ = !input_turn_;
  if (wait.input_fd >= 0 && input_turn_ && can_be_read(wait.input_fd))
    return Received{Received::Kind::input, {}};
  while (true) {
    Frame frame = reader_.next();
    if (frame.kind == Frame::Kind::line) return Received{Received::Kind::line, std::move(frame.line)};
    if (frame.kind == Frame::Kind::too_long) {
      return fail(ErrorCode::protocol, "the daemon sent a line longer than " +
                                           std::to_string(kFrameBytesMax) + " bytes; is it a clusterd?");
    }
    switch (wait_ready(fd_, wait, deadline)) {
      case Ready::nothing:
        return Received{Received::Kind::timed_out, {}};
      case Ready::output_gone:
        return Received{Received::Kind::output_gone, {}};
      case Ready::input:
        return Received{Received::Kind::input, {}};
      case Ready::failed:
        return fail(lost());
      case Ready::line:
        break;
    }
    if (auto read = read_some(); !read) return fail(read.error());
  }
}

Result<> Connection::read_some() {
  std::vector<char> buffer(kReadBytesMax);
  ssize_t count = 0;
  do {
    count = recv(fd_, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return fail(lost());
  reader_.feed({buffer.data(), static_cast<std::size_t>(count)});
  return {};
}

}  // namespace clusterd::cli
