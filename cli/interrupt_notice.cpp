#include "cli/interrupt_notice.h"

#include <unistd.h>

#include <string_view>

namespace clusterd::cli {
namespace {

constexpr std::string_view kNotice =
    "\nno longer waiting; the operation goes on in the daemon, see: clusterd list\n";
volatile sig_atomic_t notice_fd = -1;

void exit_with_notice(int number) {
  [[maybe_unused]] ssize_t written = write(notice_fd, kNotice.data(), kNotice.size());
  _exit(128 + number);
}

}  // namespace

InterruptNotice::InterruptNotice(int err_fd) {
  notice_fd = err_fd;
  struct sigaction action{};
  action.sa_handler = exit_with_notice;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_[i]);
    // nohup(1) and background jobs of scripts ignore these on purpose.
    if (previous_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptNotice::~InterruptNotice() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous_[i], nullptr);
}

}  // namespace clusterd::cli
