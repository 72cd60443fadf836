/* t-http [options]: HTTP/1.1 server with keep-alive, one thread a connection; answers "PID VERSION".
 *
 *   --port N              port to bind; 0: the kernel chooses
 *   --host ADDRESS        IPv4 or IPv6 literal (127.0.0.1)
 *   --unix PATH           bind this Unix socket instead
 *   --inherit             take the LISTEN_FDS sockets instead
 *   --reuseport           set SO_REUSEPORT before bind
 *   --version STR         second word of the answers
 *   --boot MS             pause before the socket is made
 *   --work MS             pause within each request
 *   --body N              pad the answers to N bytes
 *   --ready-notify[=MS]   send READY=1 to NOTIFY_SOCKET, MS after listen()
 *   --crash-after MS      exit with 7 that long after listen(); 0: before anything is accepted
 *   --graceful            on SIGTERM, SIGINT or SIGQUIT: print "draining", stop accepting, finish the
 *                         requests in hand and the first one of each connection, close idle
 *                         connections, print "drained", exit with 0. Without it: the default action.
 *
 * GET /stream answers without end, GET /crash dies of SIGSEGV, every other path is the plain answer.
 * Exit status: 2 wrong usage, 3 cannot listen, 5 nothing to inherit, 7 asked to crash.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { kListenersMax = 512, kRequestMax = 8192, kStackBytes = 128 * 1024, kBacklog = 511 };

static int port = 0, boot_ms = 0, work_ms = 0, ready_ms = -1, crash_ms = -1, body_bytes = 0;
static int inherit = 0, reuseport = 0, graceful = 0;
static const char *host = "127.0.0.1", *unix_path = NULL, *version = "1";

static int listeners[kListenersMax], listener_count = 0;
static int drain_fd;  // readable for ever once the server drains
static atomic_int open_connections;

static void pause_ms(int ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void die(int status, const char* what) {
  perror(what);
  exit(status);
}

static void parse_arguments(int argc, char** argv) {
  static const struct option names[] = {{"port", 1, 0, 'p'},
                                        {"host", 1, 0, 'h'},
                                        {"unix", 1, 0, 'u'},
                                        {"version", 1, 0, 'v'},
                                        {"boot", 1, 0, 'b'},
                                        {"work", 1, 0, 'w'},
                                        {"body", 1, 0, 'B'},
                                        {"ready-notify", 2, 0, 'r'},
                                        {"crash-after", 1, 0, 'c'},
                                        {"inherit", 0, &inherit, 1},
                                        {"reuseport", 0, &reuseport, 1},
                                        {"graceful", 0, &graceful, 1},
                                        {0, 0, 0, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') exit(2);
    if (c == 'p') port = atoi(optarg);
    if (c == 'h') host = optarg;
    if (c == 'u') unix_path = optarg;
    if (c == 'v') version = optarg;
    if (c == 'b') boot_ms = atoi(optarg);
    if (c == 'w') work_ms = atoi(optarg);
    if (c == 'B') body_bytes = atoi(optarg);
    if (c == 'r') ready_ms = optarg ? atoi(optarg) : 0;
    if (c == 'c') crash_ms = atoi(optarg);
  }
}

static void inherit_listeners(void) {
  const char *count = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
  if (!count || !pid || atoi(pid) != getpid()) {
    fprintf(stderr, "LISTEN_FDS=%s LISTEN_PID=%s, my pid is %d\n", count ? count : "-", pid ? pid : "-",
            getpid());
    exit(5);
  }
  for (int i = 0; i < atoi(count) && i < kListenersMax; i++) listeners[listener_count++] = 3 + i;
}

static void open_listener(void) {
  struct sockaddr_storage address = {0};
  struct sockaddr_un* local = (struct sockaddr_un*)&address;
  struct sockaddr_in* v4 = (struct sockaddr_in*)&address;
  struct sockaddr_in6* v6 = (struct sockaddr_in6*)&address;
  socklen_t length = sizeof *v4;
  if (unix_path) {
    local->sun_family = AF_UNIX;
    strncpy(local->sun_path, unix_path, sizeof local->sun_path - 1);
    length = sizeof *local;
  } else if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons((uint16_t)port);
  } else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons((uint16_t)port);
    length = sizeof *v6;
  }
  int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  if (fd < 0) die(3, "socket");
  if (!unix_path) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (reuseport) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (bind(fd, (struct sockaddr*)&address, length) != 0) die(3, "bind");
  if (listen(fd, kBacklog) != 0) die(3, "listen");
  listeners[listener_count++] = fd;
}

static bool send_all(int fd, const char* data, size_t size) {
  for (ssize_t sent; size > 0; data += sent, size -= (size_t)sent) {
    sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent < 0) return false;
  }
  return true;
}

static void stream_without_end(int fd) {
  static const char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  if (!send_all(fd, head, sizeof head - 1)) return;
  while (send_all(fd, "5\r\nmore\n\r\n", 10)) pause_ms(50);
}

static bool draining(void) {
  struct pollfd waiting = {drain_fd, POLLIN, 0};
  return poll(&waiting, 1, 0) == 1;
}

/* Answers one request; false: the connection is to be closed. */
static bool answer(int fd, const char* request) {
  if (strncmp(request, "GET /crash", 10) == 0) raise(SIGSEGV);
  if (strncmp(request, "GET /stream", 11) == 0) return stream_without_end(fd), false;
  if (work_ms > 0) pause_ms(work_ms);
  char word[256];
  int used = snprintf(word, sizeof word, "%d %s\n", getpid(), version);
  int size = body_bytes > used ? body_bytes : used;
  bool last = draining() || strstr(request, "Connection: close") || strstr(request, " HTTP/1.0\r\n");
  char* text = malloc((size_t)size + 256);
  int head = sprintf(text, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n", size,
                     last ? "close" : "keep-alive");
  memset(text + head, '.', (size_t)size);
  memcpy(text + head, word, (size_t)used);
  bool sent = send_all(fd, text, (size_t)(head + size));
  free(text);
  return sent && !last;
}

static void* serve_connection(void* argument) {
  int fd = (int)(long)argument;
  char request[kRequestMax + 1];
  bool fresh = true;  // owed at least one answer: the client cannot know that the server drains
  for (size_t used = 0;;) {
    struct pollfd waiting[2] = {{fd, POLLIN, 0}, {drain_fd, POLLIN, 0}};
    if (poll(waiting, used == 0 && !fresh ? 2 : 1, -1) < 0) continue;
    if (!waiting[0].revents) break;  // idle, and the server drains
    ssize_t got = recv(fd, request + used, kRequestMax - used, 0);
    if (got <= 0) break;
    used += (size_t)got;
    request[used] = 0;
    if (!strstr(request, "\r\n\r\n")) continue;
    if (!answer(fd, request)) break;
    used = 0;
    fresh = false;
  }
  close(fd);
  atomic_fetch_sub(&open_connections, 1);
  return NULL;
}

static void accept_one(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  atomic_fetch_add(&open_connections, 1);
  if (pthread_create(&thread, &attributes, serve_connection, (void*)(long)fd) != 0) die(3, "pthread_create");
  pthread_attr_destroy(&attributes);
}

static void* notify_ready(void* unused) {
  pause_ms(ready_ms);
  const char* path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (!path || strlen(path) >= sizeof to.sun_path) return unused;
  memcpy(to.sun_path, path, strlen(path));
  if (path[0] == '@') to.sun_path[0] = 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
  if (sendto(fd, "READY=1", 7, 0, (struct sockaddr*)&to, length) < 0) perror("NOTIFY_SOCKET");
  close(fd);
  return unused;
}

static void* crash_later(void* unused) {
  pause_ms(crash_ms);
  fprintf(stderr, "crashing as asked\n");
  _exit(unused ? 0 : 7);
}

static void drain_and_exit(void) {
  printf("draining\n");
  for (int i = 0; i < listener_count; i++) close(listeners[i]);
  eventfd_write(drain_fd, 1);
  while (atomic_load(&open_connections) > 0) pause_ms(5);
  printf("drained\n");
  exit(0);
}

int main(int argc, char** argv) {
  parse_arguments(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGPIPE,
         SIG_IGN); /* as servers do: in a pipeline the reader of our output may be told to stop first */
  drain_fd = eventfd(0, EFD_CLOEXEC);
  sigset_t stop;
  sigemptyset(&stop);
  if (graceful) sigaddset(&stop, SIGTERM), sigaddset(&stop, SIGINT), sigaddset(&stop, SIGQUIT);
  sigprocmask(SIG_BLOCK, &stop, NULL);
  struct pollfd waiting[kListenersMax + 1] = {{signalfd(-1, &stop, SFD_CLOEXEC), POLLIN, 0}};
  pause_ms(boot_ms);
  if (inherit) inherit_listeners();
  if (!inherit) open_listener();
  for (int i = 0; i < listener_count; i++) waiting[i + 1] = (struct pollfd){listeners[i], POLLIN, 0};
  printf("listening, version %s\n", version);
  pthread_t helper;
  if (ready_ms >= 0) pthread_create(&helper, NULL, notify_ready, NULL);
  if (crash_ms == 0) crash_later(NULL);
  if (crash_ms > 0) pthread_create(&helper, NULL, crash_later, NULL);
  for (;;) {
    if (poll(waiting, (nfds_t)listener_count + 1, -1) < 0) continue;
    if (waiting[0].revents) drain_and_exit();
    for (int i = 0; i < listener_count; i++)
      if (waiting[i + 1].revents) accept_one(listeners[i]);
  }
}
