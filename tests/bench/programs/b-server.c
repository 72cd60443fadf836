/* b-server [options]: the smallest HTTP/1.1 server that is fair to measure with: one thread, epoll,
 * keep-alive; answers every request at once with its process id.
 *
 *   --port N         port to bind on 127.0.0.1
 *   --reuseport      set SO_REUSEPORT before bind: how one starts several by hand
 *   --inherit        listen on descriptor 3 instead
 *   --graceful       on SIGTERM or SIGINT: stop accepting, answer each open connection once more with
 *                    "Connection: close", then exit. Without it: die at once.
 *   --report PIPE    report the beginning of main() (report.h)
 *
 * Exit status: 2 wrong usage, 3 cannot listen.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "report.h"

enum { kDescriptorsMax = 8192, kRequestMax = 2048, kEventsMax = 128, kBacklog = 4096, kInherited = 3 };

struct connection {
  bool open, fresh;  // fresh: not one answer yet, its client cannot know that the server ends
  int used;
  char request[kRequestMax + 1];
};

static int port = 0, reuseport = 0, inherit = 0, graceful = 0;
static const char* report_path = NULL;
static struct connection* connections[kDescriptorsMax];
static int poller, listener, signals, open_count = 0;
static bool draining = false;

static void die(const char* what) {
  perror(what);
  exit(3);
}

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (fd == listener && inherit) event.events |= EPOLLEXCLUSIVE;
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

static void parse_arguments(int argc, char** argv) {
  static const struct option names[] = {
      {"port", 1, 0, 'p'},         {"report", 1, 0, 'r'},         {"reuseport", 0, &reuseport, 1},
      {"inherit", 0, &inherit, 1}, {"graceful", 0, &graceful, 1}, {0, 0, 0, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') exit(2);
    if (c == 'p') port = atoi(optarg);
    if (c == 'r') report_path = optarg;
  }
}

static void open_listener(void) {
  if (inherit) {
    listener = kInherited;
    fcntl(listener, F_SETFL, O_NONBLOCK);
    return;
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (reuseport) setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0) die("bind");
  if (listen(listener, kBacklog) != 0) die("listen");
}

static void close_connection(int fd) {
  close(fd);
  connections[fd]->open = false;
  open_count--;
}

static void accept_all(void) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    if (fd >= kDescriptorsMax) {
      close(fd);
      continue;
    }
    if (!connections[fd]) connections[fd] = malloc(sizeof *connections[fd]);
    connections[fd]->open = connections[fd]->fresh = true;
    connections[fd]->used = 0;
    open_count++;
    watch(fd);
  }
}

/* Answers one complete request; false: the connection is closed. */
static bool answer(int fd) {
  struct connection* connection = connections[fd];
  const bool last = draining || strstr(connection->request, "Connection: close");
  char body[32], text[256];
  const int body_size = snprintf(body, sizeof body, "%d\n", getpid());
  const int size =
      snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n%s",
               body_size, last ? "close" : "keep-alive", body);
  connection->used = 0;
  connection->fresh = false;
  if (send(fd, text, (size_t)size, MSG_NOSIGNAL) == size && !last) return true;
  close_connection(fd);
  return false;
}

static void serve(int fd) {
  struct connection* connection = connections[fd];
  const ssize_t got =
      recv(fd, connection->request + connection->used, (size_t)(kRequestMax - connection->used), 0);
  if (got <= 0) {
    close_connection(fd);
    return;
  }
  connection->used += (int)got;
  connection->request[connection->used] = 0;
  if (strstr(connection->request, "\r\n\r\n")) answer(fd);
}

/* Who has been answered before and has nothing in hand is let go; the others get one more answer. */
static void begin_to_drain(void) {
  accept_all();
  draining = true;
  epoll_ctl(poller, EPOLL_CTL_DEL, listener, NULL);
  close(listener);
  for (int fd = 0; fd < kDescriptorsMax; fd++) {
    if (!connections[fd] || !connections[fd]->open || connections[fd]->fresh || connections[fd]->used > 0)
      continue;
    close_connection(fd);
  }
}

static void watch_signals(void) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, NULL);
  signals = signalfd(-1, &stop, SFD_CLOEXEC);
  watch(signals);
}

int main(int argc, char** argv) {
  const int64_t began = now_ns();
  parse_arguments(argc, argv);
  poller = epoll_create1(EPOLL_CLOEXEC);
  open_listener();
  watch(listener);
  signals = -1;
  if (graceful) watch_signals();
  if (report_path) report(report_path, kBegins, began);
  struct epoll_event events[kEventsMax];
  while (!draining || open_count > 0) {
    const int ready = epoll_wait(poller, events, kEventsMax, -1);
    for (int i = 0; i < ready; i++) {
      const int fd = events[i].data.fd;
      if (fd == signals)
        begin_to_drain();
      else if (fd == listener && !draining)
        accept_all();
      else if (fd != listener && connections[fd]->open)
        serve(fd);
    }
  }
  return 0;
}
