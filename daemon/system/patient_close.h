// close_patiently: closes a descriptor of unknown kind without making the caller wait.
//
// For descriptors that a stranger sent: the last close of a lingering socket or of a file on a user's own
// file system may take as long as that user likes. Pipes, which never wait, are closed at once; the rest on a
// thread of its own.
#pragma once

#include <utility>

#include "daemon/system/unique_fd.h"

namespace clusterd {

void close_patiently(int fd);

// Owns a descriptor that came from somebody else.
class PatientFd {
 public:
  PatientFd() = default;
  explicit PatientFd(int fd) : fd_(fd) {}
  PatientFd(PatientFd&& other) noexcept = default;
  PatientFd& operator=(PatientFd&& other) noexcept {
    close();
    fd_ = std::move(other.fd_);
    return *this;
  }
  ~PatientFd() { close(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  void close() {
    if (fd_) close_patiently(fd_.release());
  }
  UniqueFd fd_;
};

}  // namespace clusterd
