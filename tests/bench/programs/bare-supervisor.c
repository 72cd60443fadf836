/* bare-supervisor COUNT [--listen PORT] PROGRAM [ARGUMENT...]: what the kernel can do at best. Forks and
 * execs PROGRAM COUNT times, and again when one ends: no settings, no logs, no sockets, no client. The bench
 * measures clusterd and its rivals against it.
 *
 * --listen: opens that port on 127.0.0.1 once and hands it down as descriptor 3 to all.
 * SIGUSR1: SIGTERM to all, so all are started again. SIGTERM: SIGTERM to all, wait for them, end.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kCountMax = 10000, kBacklog = 4096, kHandedDown = 3 };

static pid_t pids[kCountMax];
static long count;
static char** program;

static pid_t start_one(void) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the bench may be interrupted */
  setsid();
  execv(program[0], program);
  _exit(127);
}

static void listen_at(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, kBacklog) != 0) exit(3);
  if (fd == kHandedDown) return;
  dup2(fd, kHandedDown);
  close(fd);
}

static void signal_all(void) {
  for (long i = 0; i < count; i++)
    if (pids[i] > 0) kill(pids[i], SIGTERM);
}

/* Returns how many ended; each is started again unless everything stops. */
static long reap(int stopping) {
  long ended = 0;
  for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0; ended++) {
    for (long i = 0; i < count; i++)
      if (pids[i] == pid) pids[i] = stopping ? 0 : start_one();
  }
  return ended;
}

int main(int argc, char** argv) {
  program = argv + 2;
  if (argc > 4 && strcmp(argv[2], "--listen") == 0) {
    listen_at(atoi(argv[3]));
    program = argv + 4;
  }
  count = argc > 2 ? atol(argv[1]) : 0;
  if (count < 1 || count > kCountMax || !program[0]) return 2;
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGUSR1);
  sigaddset(&watched, SIGTERM);
  sigprocmask(SIG_BLOCK, &watched, NULL);
  for (long i = 0; i < count; i++) pids[i] = start_one();
  int stopping = 0;
  for (long left = count; left > 0;) {
    const int what = sigwaitinfo(&watched, NULL);
    if (what == SIGTERM) stopping = 1;
    if (what == SIGTERM || what == SIGUSR1) signal_all();
    const long ended = reap(stopping);
    if (stopping) left -= ended;
  }
  return 0;
}
