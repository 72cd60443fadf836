/* t-epoll [options]: HTTP/1.1 server with keep-alive in one thread around epoll, as event-driven programs
 * have it; answers "PID".
 *
 *   --port N        port to bind on 127.0.0.1
 *   --inherit       take the LISTEN_FDS sockets instead
 *   --exclusive     watch the listeners with EPOLLEXCLUSIVE
 *   --early         watch the listener before it is bound, as Boost.Asio and Netty do
 *   --work MS[-MS]  answer that much later, going through the range; nothing is blocked meanwhile
 *   --hello         send "HTTP/1.1 102 PID" as soon as a connection is accepted, so that the client knows
 * whose it is
 *   --graceful      on SIGTERM or SIGINT: stop accepting, answer what is owed, close idle connections, exit
 * with 0. Without it: the default action, which is to die at once.
 *
 * GET /slow?ms=N answers after N ms, GET /block?ms=N blocks the whole process for N ms, GET /stream answers
 * without end. Exit status: 2 wrong usage, 3 cannot listen, 5 nothing to inherit.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  kDescriptorsMax = 8192,
  kRequestMax = 4096,
  kEventsMax = 64,
  kBacklog = 511,
  kStreamMs = 50,
  kFirstInherited = 3
};

struct connection {
  bool answered;  // owes nothing to a client that cannot know of the end
  bool last;      // the answer is followed by the end
  bool stream;
  int64_t due_ms;  // when the answer goes out; 0: no request in hand
  int used;
  char request[kRequestMax + 1];
};

static int port = 0, inherit = 0, exclusive = 0, hello = 0, early = 0, graceful = 0, work_from = 0,
           work_to = 0;
static struct connection* connections[kDescriptorsMax];
static bool listens[kDescriptorsMax];
static int highest = 0, open_count = 0, waiting_count = 0, poller, signals;
static bool draining = false;

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void block_ms(int ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void die(int status, const char* what) {
  perror(what);
  exit(status);
}

static void parse_arguments(int argc, char** argv) {
  static const struct option names[] = {{"port", 1, 0, 'p'},           {"work", 1, 0, 'w'},
                                        {"inherit", 0, &inherit, 1},   {"exclusive", 0, &exclusive, 1},
                                        {"hello", 0, &hello, 1},       {"early", 0, &early, 1},
                                        {"graceful", 0, &graceful, 1}, {0, 0, 0, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') exit(2);
    if (c == 'p') port = atoi(optarg);
    if (c == 'w' && sscanf(optarg, "%d-%d", &work_from, &work_to) == 1) work_to = work_from;
  }
}

static void watch(int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) die(3, "epoll_ctl");
}

static void add_listener(int fd) {
  if (fd >= kDescriptorsMax) die(3, "too many listeners");
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  listens[fd] = true;
  if (fd > highest) highest = fd;
  watch(fd, EPOLLIN | (exclusive ? EPOLLEXCLUSIVE : 0));
}

static void inherit_listeners(void) {
  const char *count = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
  if (!count || !pid || atoi(pid) != getpid()) exit(5);
  for (int i = 0; i < atoi(count); i++) add_listener(kFirstInherited + i);
}

static void open_listener(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  if (fd < 0) die(3, "socket");
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (early) add_listener(fd);
  if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0) die(3, "bind");
  if (listen(fd, kBacklog) != 0) die(3, "listen");
  if (!early) add_listener(fd);
}

static void end_connection(int fd) {
  if (connections[fd]->due_ms != 0) waiting_count--;
  free(connections[fd]);
  connections[fd] = NULL;
  open_count--;
  close(fd);
}

/* The answers are small, so a full send buffer means a client that does not read: it is cut off. */
static bool say(int fd, const char* text) {
  const ssize_t size = (ssize_t)strlen(text);
  if (send(fd, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT) == size) return true;
  end_connection(fd);
  return false;
}

static void answer(int fd) {
  struct connection* connection = connections[fd];
  if (connection->stream) {
    connection->due_ms = now_ms() + kStreamMs;
    say(fd, "5\r\nmore\n\r\n");
    return;
  }
  const bool last = connection->last || draining;
  char body[32], text[256];
  snprintf(body, sizeof body, "%d\n", getpid());
  snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: %s\r\n\r\n%s",
           strlen(body), last ? "close" : "keep-alive", body);
  connection->due_ms = 0;
  waiting_count--;
  connection->answered = true;
  if (say(fd, text) && last) end_connection(fd);
}

static int wanted_ms(const char* request, const char* path) {
  const size_t length = strlen(path);
  return strncmp(request, path, length) == 0 ? atoi(request + length) : 0;
}

static void take_request(int fd, struct connection* connection) {
  static int turn = 0;
  const char* request = connection->request;
  connection->used = 0;
  connection->last = strstr(request, "Connection: close") || strstr(request, " HTTP/1.0\r\n");
  connection->stream = strncmp(request, "GET /stream", 11) == 0;
  block_ms(wanted_ms(request, "GET /block?ms="));
  int delay = wanted_ms(request, "GET /slow?ms=");
  if (delay == 0 && work_to > 0) delay = work_from + turn++ % (work_to - work_from + 1);
  connection->due_ms = now_ms() + delay;
  waiting_count++;
  if (connection->stream && !say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")) return;
  if (delay == 0) answer(fd);
}

static void read_some(int fd) {
  struct connection* connection = connections[fd];
  const ssize_t got = recv(fd, connection->request + connection->used,
                           (size_t)(kRequestMax - connection->used), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return end_connection(fd);
  connection->used += (int)got;
  connection->request[connection->used] = 0;
  if (strstr(connection->request, "\r\n\r\n")) take_request(fd, connection);
}

static void accept_all(int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    if (fd >= kDescriptorsMax) die(3, "too many connections");
    connections[fd] = calloc(1, sizeof **connections);
    open_count++;
    if (fd > highest) highest = fd;
    char text[64];
    snprintf(text, sizeof text, "HTTP/1.1 102 %d\r\n\r\n", getpid());
    if (!hello || say(fd, text)) watch(fd, EPOLLIN);
  }
}

static void begin_to_drain(void) {
  struct signalfd_siginfo ignored;
  if (read(signals, &ignored, sizeof ignored) < 0) return;
  draining = true;
  for (int fd = 0; fd <= highest; fd++) {
    if (listens[fd]) listens[fd] = false, close(fd);
    if (connections[fd] && connections[fd]->answered && connections[fd]->due_ms == 0 &&
        connections[fd]->used == 0)
      end_connection(fd);
  }
}

/* Returns when the next answer is due, as a timeout of epoll_wait. */
static int answer_due(void) {
  int next = -1;
  if (waiting_count == 0) return next;
  const int64_t now = now_ms();
  for (int fd = 0; fd <= highest; fd++) {
    if (!connections[fd] || connections[fd]->due_ms == 0) continue;
    if (connections[fd]->due_ms <= now) answer(fd);
    if (!connections[fd] || connections[fd]->due_ms == 0) continue;
    const int left = (int)(connections[fd]->due_ms - now);
    if (next < 0 || left < next) next = left;
  }
  return next;
}

int main(int argc, char** argv) {
  parse_arguments(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  poller = epoll_create1(EPOLL_CLOEXEC);
  sigset_t stop;
  sigemptyset(&stop);
  if (graceful) sigaddset(&stop, SIGTERM), sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, NULL);
  signals = signalfd(-1, &stop, SFD_CLOEXEC);
  watch(signals, EPOLLIN);
  if (inherit) inherit_listeners();
  if (!inherit) open_listener();
  printf("listening\n");
  while (!draining || open_count > 0) {
    struct epoll_event events[kEventsMax];
    const int timeout = answer_due();
    if (draining && open_count == 0) break;
    const int count = epoll_wait(poller, events, kEventsMax, timeout);
    for (int i = 0; i < count; i++) {
      const int fd = events[i].data.fd;
      if (fd == signals)
        begin_to_drain();
      else if (listens[fd])
        accept_all(fd);
      else if (connections[fd])
        read_some(fd);
    }
  }
  return 0;
}
