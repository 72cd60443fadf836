#include "daemon/system/patient_close.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

namespace clusterd {

void close_patiently(int fd) {
  if (fcntl(fd, F_GETPIPE_SZ) >= 0) {
    close(fd);
    return;
  }
  // Signals are the event loop's business.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([fd] { close(fd); }).detach();
  } catch (const std::system_error&) {
    // No thread to be had: a descriptor that stays open does less harm than a daemon that stands still.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace clusterd
