// CapturedConsole: a Console that writes into two files, to be read back by the test.
//
// For the tests of this folder alone. Neither end is a terminal.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "cli/console.h"

class CapturedConsole {
 public:
  explicit CapturedConsole(clusterd::cli::Loudness loudness = clusterd::cli::Loudness::normal)
      : console(out_fd_, err_fd_, loudness, clusterd::cli::ColorWish::automatic) {}
  CapturedConsole(const CapturedConsole&) = delete;
  CapturedConsole& operator=(const CapturedConsole&) = delete;
  ~CapturedConsole() {
    close(out_fd_);
    close(err_fd_);
  }

  std::string out() const { return content(out_fd_); }
  std::string err() const { return content(err_fd_); }

 private:
  static std::string content(int fd) {
    std::string text(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), '\0');
    [[maybe_unused]] ssize_t count = pread(fd, text.data(), text.size(), 0);
    return text;
  }

  int out_fd_ = memfd_create("out", MFD_CLOEXEC);
  int err_fd_ = memfd_create("err", MFD_CLOEXEC);

 public:
  clusterd::cli::Console console;
};
