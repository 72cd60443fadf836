/* t-tree FILE [options]: a leader with four descendants that are hard to find again.
 *
 * Writes FILE (atomically, once all of them run), one line each, "ROLE PID":
 *   leader    the process itself
 *   child     a plain child in the leader's process group
 *   group     a child in a process group of its own
 *   session   a child in a session of its own
 *   orphan    double-forked and in a session of its own, its parent is gone
 *
 *   --ignore          everybody ignores SIGTERM, SIGINT, SIGHUP and SIGQUIT
 *   --hold-port N     "session" listens on 127.0.0.1:N; the leader exits with 3 if that fails
 *   --leader-exit MS  the leader exits with 1 after MS and leaves the others behind
 *   --on-term FILE    "group" appends "term\n" to FILE when it gets SIGTERM or SIGINT, then exits
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* term_file = NULL;

static void note_term(int number) {
  int fd = open(term_file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  _exit(write(fd, "term\n", 5) == 5 ? number : 1);
}

static void ignore_stop_signals(void) {
  const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (int i = 0; i < 4; i++) signal(numbers[i], SIG_IGN);
}

static void hold_port(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, 5) != 0) {
    perror("t-tree: hold-port");
    _exit(3);
  }
}

static void report(int fd, const char* role, pid_t pid) {
  char line[64];
  int size = snprintf(line, sizeof line, "%s %d\n", role, (int)pid);
  if (write(fd, line, (size_t)size) != size) _exit(4);
}

/* Every role says who it is on the pipe once it is in place, then waits for a signal. */
static void live(int fd, const char* role, int port) {
  if (strcmp(role, "group") == 0) setpgid(0, 0);
  if (strcmp(role, "session") == 0 || strcmp(role, "orphan") == 0) setsid();
  if (strcmp(role, "group") == 0 && term_file) signal(SIGTERM, note_term), signal(SIGINT, note_term);
  if (strcmp(role, "session") == 0 && port > 0) hold_port(port);
  report(fd, role, getpid());
  close(fd);
  for (;;) pause();
}

static void spawn(int fd, const char* role, int port) {
  pid_t pid = fork();
  if (pid != 0) return;
  if (strcmp(role, "orphan") != 0) live(fd, role, port);
  if (fork() == 0) live(fd, role, port);
  _exit(0);
}

int main(int argc, char** argv) {
  static const struct option names[] = {{"ignore", 0, 0, 'i'},
                                        {"hold-port", 1, 0, 'p'},
                                        {"leader-exit", 1, 0, 'x'},
                                        {"on-term", 1, 0, 't'},
                                        {0, 0, 0, 0}};
  int port = 0, exit_ms = -1;
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') return 2;
    if (c == 'i') ignore_stop_signals();
    if (c == 'p') port = atoi(optarg);
    if (c == 'x') exit_ms = atoi(optarg);
    if (c == 't') term_file = optarg;
  }
  if (optind >= argc) return 2;
  int pipe_fds[2];
  if (pipe(pipe_fds) != 0) return 4;
  const char* roles[] = {"child", "group", "session", "orphan"};
  for (int i = 0; i < 4; i++) spawn(pipe_fds[1], roles[i], port);
  report(pipe_fds[1], "leader", getpid());
  close(pipe_fds[1]);
  char text[512], partial[4096];
  size_t used = 0;
  for (ssize_t got; (got = read(pipe_fds[0], text + used, sizeof text - used)) > 0;) used += (size_t)got;
  int lines = 0;
  for (size_t i = 0; i < used; i++) lines += text[i] == '\n';
  if (lines != 5) return 3;
  snprintf(partial, sizeof partial, "%s.%d", argv[optind], (int)getpid());
  int fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (write(fd, text, used) != (ssize_t)used || rename(partial, argv[optind]) != 0) return 4;
  if (exit_ms >= 0) usleep((useconds_t)exit_ms * 1000), _exit(1);
  for (;;) pause();
}
