/* first-answer PORT [--kill PID]: the moment a server answers for the first time.
 *
 * Prints "armed", waits for a line on standard input, kills PID with SIGKILL if there is one, then asks
 * 127.0.0.1:PORT, anew every 200 microseconds if nobody listens or the connection ends, until an answer has
 * come. Prints two monotonic times in nanoseconds, of the beginning (before the kill) and of the answer, and
 * how many attempts failed on the way. Gives up after 60 s with status 1.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "report.h"

static const int64_t kGiveUpNs = 60LL * 1000000000;
static const long kPauseNs = 200000;

static bool ask(int port) {
  static const char request[] = "GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const struct timeval limit = {.tv_sec = 5};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char answer[64] = {0};
  const bool answered = connect(fd, (struct sockaddr*)&address, sizeof address) == 0 &&
                        send(fd, request, sizeof request - 1, MSG_NOSIGNAL) > 0 &&
                        recv(fd, answer, sizeof answer - 1, 0) >= 12 && memcmp(answer + 8, " 200", 4) == 0;
  close(fd);
  return answered;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int port = atoi(argv[1]);
  const pid_t victim = argc > 3 ? atoi(argv[3]) : 0;
  char line[16];
  puts("armed");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) return 2;
  const int64_t began = now_ns();
  if (victim > 0) kill(victim, SIGKILL);
  long failed = 0;
  for (; !ask(port); failed++) {
    if (now_ns() - began > kGiveUpNs) return 1;
    nanosleep(&(struct timespec){.tv_nsec = kPauseNs}, NULL);
  }
  printf("%lld %lld %ld\n", (long long)began, (long long)now_ns(), failed);
  return 0;
}
