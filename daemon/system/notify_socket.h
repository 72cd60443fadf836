// NotifySocket: receiving end of the sd_notify protocol, one per instance.
//
// The path goes to the app as NOTIFY_SOCKET. One socket an instance, because a full one makes the *sender*
// wait (10 datagrams is the kernel's default) and no app shall wait for another. Any local user may send:
// whoever uses a message checks that its pid belongs to the instance. Descriptors that come along are closed
// at once, but for the one of BARRIER=1: closing it tells the sender that everything before it has been
// heard, so it lives as long as its message. Messages that are too long, cut off or without credentials are
// dropped, as systemd does. Source: sd_notify(3).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "daemon/system/patient_close.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr std::size_t kNotifyBytesMax = 4096;
inline constexpr std::size_t kNotifyMessagesMax = 64;  // taken by one receive(); the rest stays readable

struct NotifyMessage {
  pid_t pid = 0;
  uid_t uid = 0;
  bool ready = false;
  bool reloading = false;
  bool stopping = false;
  bool watchdog = false;          // WATCHDOG=1
  bool watchdog_trigger = false;  // WATCHDOG=trigger
  std::optional<std::uint64_t> watchdog_usec;
  std::optional<std::uint64_t> extend_timeout_usec;
  std::optional<std::uint64_t> monotonic_usec;  // of RELOADING=1
  PatientFd barrier;
  std::optional<std::string> status;
  std::optional<pid_t> main_pid;
  std::optional<int> error;  // ERRNO=
};

// The text of one datagram; pid and uid stay 0. Unknown keys are ignored.
NotifyMessage parse_notify_text(std::string_view text);

class NotifySocket {
 public:
  // An absolute path (a stale socket there is replaced, mode 0666) or "@name" of the abstract name space,
  // which also apps of other users can reach when the daemon's folders are closed to them.
  static Result<NotifySocket> create(std::string path);

  NotifySocket(NotifySocket&& other) noexcept;
  NotifySocket& operator=(NotifySocket&& other) noexcept;
  ~NotifySocket();  // removes the file

  int fd() const { return socket_.get(); }
  const std::string& path() const { return path_; }

  // Non-blocking; in order of arrival.
  std::vector<NotifyMessage> receive();

 private:
  NotifySocket(UniqueFd socket, std::string path);
  void remove_file();

  UniqueFd socket_;
  std::string path_;
};

}  // namespace clusterd
