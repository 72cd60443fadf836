/* t-exit CODE [MS]: exits with CODE after MS milliseconds; a negative CODE is a signal it dies of. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int code = argc > 1 ? atoi(argv[1]) : 0;
  if (argc > 2) usleep((useconds_t)atoi(argv[2]) * 1000);
  if (code < 0) {
    signal(-code, SIG_DFL);
    kill(getpid(), -code);
  }
  _exit(code);
}
