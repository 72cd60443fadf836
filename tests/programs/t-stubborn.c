/* t-stubborn [--log FILE] [--exit-after MS] SIGNAL...: does not die of the listed signals (names without
 * SIG).
 *
 * Prints "MS NAME" (monotonic milliseconds) for each one it gets, into FILE if given, else on standard
 * output. With --exit-after it exits with 0 that long after the first of them. Signals not listed act as
 * usual.
 */
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int signal_number(const char* name) {
  for (int number = 1; number < 32; number++) {
    const char* known = sigabbrev_np(number);
    if (known && strcmp(known, name) == 0) return number;
  }
  fprintf(stderr, "t-stubborn: no signal is called %s\n", name);
  exit(2);
}

int main(int argc, char** argv) {
  static const struct option names[] = {{"log", 1, 0, 'l'}, {"exit-after", 1, 0, 'x'}, {0, 0, 0, 0}};
  int log_fd = STDOUT_FILENO;
  long exit_ms = -1;
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') return 2;
    if (c == 'l') log_fd = open(optarg, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (c == 'x') exit_ms = atoi(optarg);
  }
  sigset_t stubborn;
  sigemptyset(&stubborn);
  for (int i = optind; i < argc; i++) sigaddset(&stubborn, signal_number(argv[i]));
  sigprocmask(SIG_BLOCK, &stubborn, NULL);
  struct pollfd waiting = {signalfd(-1, &stubborn, SFD_CLOEXEC), POLLIN, 0};
  dprintf(log_fd, "%ld ready\n", now_ms());
  for (long deadline = -1;;) {
    long left = deadline < 0 ? -1 : deadline - now_ms();
    if (deadline >= 0 && left <= 0) return 0;
    if (poll(&waiting, 1, (int)left) != 1) continue;
    struct signalfd_siginfo info;
    if (read(waiting.fd, &info, sizeof info) != sizeof info) continue;
    dprintf(log_fd, "%ld %s\n", now_ms(), sigabbrev_np((int)info.ssi_signo));
    if (exit_ms >= 0 && deadline < 0) deadline = now_ms() + exit_ms;
  }
}
