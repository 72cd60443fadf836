#include "daemon/system/log_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr const char* kJournalSocket = "/run/systemd/journal/socket";
constexpr const char* kSyslogSocket = "/dev/log";

std::string path_from(const char* variable, const char* standard) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? standard : value;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The share of one stream.
class ServiceTarget final : public LogTarget {
 public:
  ServiceTarget(std::shared_ptr<LogSocket> socket, LogService service, LogLabels labels)
      : socket_(std::move(socket)), service_(service), labels_(std::move(labels)), host_(host_name()) {}

  void write(std::string_view bytes, MonotonicTime now) override {
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      const std::string_view line = bytes.substr(0, std::min(newline, kLogDatagramTextMax));
      bytes.remove_prefix(line.size() == newline ? line.size() + 1 : line.size());
      socket_->send(service_ == LogService::journald ? journald_datagram(labels_, line)
                                                     : syslog_datagram(labels_, host_, line),
                    now);
    }
  }
  bool wants_whole_lines() const override { return true; }

 private:
  std::shared_ptr<LogSocket> socket_;
  LogService service_;
  LogLabels labels_;
  std::string host_;
};

}  // namespace

LogSocket::LogSocket(std::string path, Notice notice)
    : path_(std::move(path)),
      notice_(std::move(notice)),
      socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}

void LogSocket::send(std::string_view datagram, MonotonicTime now) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  int error = ENAMETOOLONG;
  if (path_.size() < sizeof address.sun_path) {
    std::memcpy(address.sun_path, path_.data(), path_.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size() + 1);
    const ssize_t sent = sendto(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), size);
    error = sent < 0 ? errno : 0;
  }
  if (error != 0) {
    note_trouble(error);
    failed_at_ = now;
    ++dropped_;
    return;
  }
  if (!failed_at_ || now - *failed_at_ < kServiceSettleTime) return;
  failed_at_.reset();
  notice_(path_ + " takes output again; " + std::to_string(dropped_ - dropped_before_) + " lines were lost");
}

void LogSocket::note_trouble(int error) {
  if (failed_at_) return;
  dropped_before_ = dropped_;
  const std::string what = error == EAGAIN ? "its receiver is too slow" : errno_text(error);
  notice_("cannot send output to " + path_ + ": " + what +
          "; it is lost until this is solved, the app goes on");
}

LogServices LogServices::from_environment(LogSocket::Notice notice) {
  LogServices services;
  services.journald_ =
      std::make_shared<LogSocket>(path_from("CLUSTERD_JOURNAL_SOCKET", kJournalSocket), notice);
  services.syslog_ = std::make_shared<LogSocket>(path_from("CLUSTERD_SYSLOG_SOCKET", kSyslogSocket), notice);
  return services;
}

std::unique_ptr<LogTarget> LogServices::target(LogService service, LogLabels labels) const {
  return std::make_unique<ServiceTarget>(service == LogService::journald ? journald_ : syslog_, service,
                                         std::move(labels));
}

}  // namespace clusterd
