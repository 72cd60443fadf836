#include "daemon/system/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <optional>

#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

// How the number that is read differs from the one that is written.
enum class Reading { as_written, doubled };

struct Option {
  int level;
  int name;
  Reading reading = Reading::as_written;
};

constexpr Option kOptions[] = {
    {SOL_SOCKET, SO_KEEPALIVE},
    {SOL_SOCKET, SO_LINGER},
    {SOL_SOCKET, SO_OOBINLINE},
    {SOL_SOCKET, SO_PRIORITY},
    {SOL_SOCKET, SO_RCVLOWAT},
    {SOL_SOCKET, SO_RCVBUF, Reading::doubled},
    {SOL_SOCKET, SO_SNDBUF, Reading::doubled},
    {SOL_SOCKET, SO_MARK},
    {SOL_IP, IP_TOS},
    {SOL_IP, IP_TTL},
    {SOL_IPV6, IPV6_TCLASS},
    {SOL_TCP, TCP_NODELAY},
    {SOL_TCP, TCP_KEEPIDLE},
    {SOL_TCP, TCP_KEEPINTVL},
    {SOL_TCP, TCP_KEEPCNT},
    {SOL_TCP, TCP_USER_TIMEOUT},
    {SOL_TCP, TCP_DEFER_ACCEPT},
    {SOL_TCP, TCP_FASTOPEN},
    {SOL_TCP, TCP_LINGER2},
    {SOL_TCP, TCP_SYNCNT},
};

struct Value {
  std::array<char, sizeof(linger)> bytes{};  // the largest of the options above
  socklen_t length = sizeof bytes;

  bool operator==(const Value&) const = default;
};

std::optional<Value> read_option(int fd, const Option& option) {
  Value value;
  if (getsockopt(fd, option.level, option.name, value.bytes.data(), &value.length) != 0) return std::nullopt;
  return value;
}

void halve(Value& value) {
  int number = 0;
  std::memcpy(&number, value.bytes.data(), sizeof number);
  number /= 2;
  std::memcpy(value.bytes.data(), &number, sizeof number);
}

UniqueFd fresh_socket_like(int fd) {
  int domain = 0, protocol = 0;
  socklen_t length = sizeof(int);
  getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length);
  getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length);
  return UniqueFd(socket(domain, SOCK_STREAM | SOCK_CLOEXEC, protocol));
}

}  // namespace

void copy_changed_options(int from, int to) {
  const UniqueFd fresh = fresh_socket_like(from);
  if (!fresh) return;
  for (const Option& option : kOptions) {
    auto wanted = read_option(from, option);
    if (!wanted || wanted == read_option(fresh.get(), option)) continue;
    if (option.reading == Reading::doubled) halve(*wanted);
    setsockopt(to, option.level, option.name, wanted->bytes.data(), wanted->length);
  }
}

}  // namespace clusterd
