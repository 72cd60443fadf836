// InterruptNotice: while it lives, Ctrl-C says that the operation goes on in the daemon, and exits with 130.
//
// Around calls that wait for an operation. Without it a user could believe that he has stopped the rollout.
// SIGTERM and SIGHUP are answered alike, with 128 plus their number. One at a time.
#pragma once

#include <signal.h>

#include <array>

namespace clusterd::cli {

class InterruptNotice {
 public:
  explicit InterruptNotice(int err_fd);
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;
  ~InterruptNotice();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> previous_{};
};

}  // namespace clusterd::cli
