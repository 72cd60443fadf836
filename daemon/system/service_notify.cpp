#include "daemon/system/service_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace clusterd {
namespace {

std::string take(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

std::optional<long long> number(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ServiceNotify ServiceNotify::from_environment() {
  ServiceNotify notify;
  notify.path_ = take("NOTIFY_SOCKET");
  const auto usec = number(take("WATCHDOG_USEC"));
  const auto pid = number(take("WATCHDOG_PID"));
  if (usec && *usec > 0 && (!pid || *pid == getpid())) {
    notify.watchdog_interval_ = std::chrono::milliseconds(std::max(1LL, *usec / 2000));
  }
  if (!notify.path_.empty())
    notify.socket_.reset(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return notify;
}

void ServiceNotify::tell(const std::string& lines) const {
  sockaddr_un address{};
  if (!socket_ || path_.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  sendto(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
         length);
}

}  // namespace clusterd
