// NotifySocket: receiving end of the sd_notify protocol, one per instance.
//
// The path goes to the app as NOTIFY_SOCKET. One socket an instance, because a full one makes the *sender*
// wait (10 datagrams is the kernel's default) and no app shall wait for another. Any local user may send:
// whoever uses a message checks that its pid belongs to the instance. Descriptors that come along are closed
// at once, which is all that BARRIER=1 asks for. Messages that are too long, cut off or without credentials
// are dropped, as systemd does. Source: sd_notify(3).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
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
  bool watchdog = false;
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
