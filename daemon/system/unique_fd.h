// UniqueFd: sole owner of one file descriptor; closes it when it goes.
//
// Used by everything in daemon/system and by the glue that keeps sockets, pipes and channels. Move-only: a
// second owner must be made on purpose, with dup. An empty one holds -1. It reports no errors: close() has
// released the descriptor whatever it returns, and nobody could do better with the answer.
#pragma once

#include <unistd.h>

#include <utility>

namespace clusterd {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  // The caller becomes the owner.
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0 && fd_ != fd) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace clusterd
