/* load-client --port N [options]: asks an HTTP/1.1 server on 127.0.0.1 as fast as it answers, or at a rate;
 * one thread around epoll. Prints one JSON object: counts by outcome, latencies, and how many answers each
 * process gave (the answer begins with its process id).
 *
 *   --connections N   clients at a time (1)
 *   --each N          requests of one connection; the last one says "Connection: close" (0: no limit)
 *   --requests N      end after N requests
 *   --seconds S       end after that time; with neither: when standard input ends
 *   --rate R          requests a second of all clients together, at most
 *   --path P          what is asked for (/)
 *   --timeout S       without a whole answer by then a request counts as hung (10)
 *   --hold            each client asks once and keeps its connection until all are answered
 *
 * Outcomes: ok; refused; reset and cut (ended without an answer); hung; status (not 200); raced: the server
 * ended an idle connection just when it was asked once more, which a client may repeat (RFC 9112, 9.3.1).
 * Latency is from the beginning of connect(), or of the request on an open connection, to the last byte of
 * the answer. Clients use source addresses from 127.0.1.1 on, so that no port is short.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "report.h"

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

enum { kClientsMax = 4096, kAnswerMax = 65536, kPidsMax = 256, kSources = 200, kEventsMax = 256 };
enum outcome { kOk, kRefused, kReset, kCut, kHung, kStatus, kRaced, kOutcomes };
static const char* const kOutcomeNames[] = {"ok", "refused", "reset", "cut", "hung", "status", "raced"};

enum state { kIdle, kConnecting, kAsking, kHolding };
struct client {
  enum state state;
  int fd, asked, used;
  int64_t began;
  char answer[kAnswerMax + 1];
};

static int port, connections = 1, each = 0, hold = 0;
static long request_limit = 0;
static double seconds = 0, rate = 0, timeout_s = 10;
static const char* path = "/";
static struct client* clients;
static int poller, pid_count = 0;
static struct {
  long pid, answers;
} pids[kPidsMax];
static long outcomes[kOutcomes], begun = 0, in_flight = 0, latency_room = 0;
static float* latencies;  // microseconds
static int64_t start_ns, last_ns;

static void parse_arguments(int argc, char** argv) {
  static const struct option names[] = {{"port", 1, 0, 'p'},    {"connections", 1, 0, 'c'},
                                        {"each", 1, 0, 'e'},    {"requests", 1, 0, 'n'},
                                        {"seconds", 1, 0, 's'}, {"rate", 1, 0, 'r'},
                                        {"path", 1, 0, 'P'},    {"timeout", 1, 0, 't'},
                                        {"hold", 0, &hold, 1},  {0, 0, 0, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') exit(2);
    if (c == 'p') port = atoi(optarg);
    if (c == 'c') connections = atoi(optarg);
    if (c == 'e') each = atoi(optarg);
    if (c == 'n') request_limit = atol(optarg);
    if (c == 's') seconds = atof(optarg);
    if (c == 'r') rate = atof(optarg);
    if (c == 'P') path = optarg;
    if (c == 't') timeout_s = atof(optarg);
  }
  if (port <= 0 || connections < 1 || connections > kClientsMax) exit(2);
  if (hold) request_limit = connections;
}

static void count_answer(long pid) {
  int i = 0;
  while (i < pid_count && pids[i].pid != pid) i++;
  if (i == kPidsMax) return;
  if (i == pid_count) pids[pid_count++].pid = pid;
  pids[i].answers++;
}

static void note_latency(int64_t began) {
  const long at = outcomes[kOk];
  if (at >= latency_room) {
    latency_room = latency_room ? latency_room * 2 : 65536;
    latencies = realloc(latencies, (size_t)latency_room * sizeof *latencies);
    if (!latencies) exit(4);
  }
  latencies[at] = (float)(last_ns - began) / 1000.0F;
}

static void hang_up(struct client* client) {
  close(client->fd);
  client->fd = -1;
}

/* One request is over; what becomes of its connection has been decided by the caller. */
static void conclude(struct client* client, enum outcome outcome, bool keep) {
  last_ns = now_ns();
  if (outcome == kOk) note_latency(client->began);
  outcomes[outcome]++;
  in_flight--;
  client->state = hold && keep ? kHolding : kIdle;
  client->used = 0;
  if (!keep && client->fd >= 0) hang_up(client);
}

static enum outcome outcome_of(const struct client* client, int error) {
  if (error == ECONNREFUSED) return kRefused;
  if (client->asked > 1 && client->used == 0) return kRaced;
  return error != 0 ? kReset : kCut;
}

static void send_request(struct client* client) {
  const bool last = each > 0 && client->asked + 1 >= each;
  char request[512];
  const int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: bench\r\n%s\r\n", path,
                            last ? "Connection: close\r\n" : "");
  client->asked++;
  client->state = kAsking;
  if (send(client->fd, request, (size_t)size, MSG_NOSIGNAL) != size)
    conclude(client, outcome_of(client, errno), false);
}

static void open_connection(struct client* client) {
  static uint32_t source = 0;
  const int on = 1;
  struct sockaddr_in from = {.sin_family = AF_INET},
                     to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  from.sin_addr.s_addr = htonl(0x7f000100U + 1 + source++ % kSources);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  client->asked = client->used = 0;
  setsockopt(client->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  bind(client->fd, (struct sockaddr*)&from, sizeof from);
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = client};
  epoll_ctl(poller, EPOLL_CTL_ADD, client->fd, &event);
  client->state = kConnecting;
  if (connect(client->fd, (struct sockaddr*)&to, sizeof to) != 0 && errno != EINPROGRESS)
    conclude(client, outcome_of(client, errno), false);
}

static bool may_begin(void) {
  if (request_limit > 0 && begun >= request_limit) return false;
  return rate <= 0 || (double)begun < (double)(now_ns() - start_ns) / 1e9 * rate;
}

static void begin_requests(void) {
  static int turn = 0;  // with a rate, no client is preferred
  for (int i = 0; i < connections && may_begin(); i++, turn++) {
    struct client* client = &clients[turn % connections];
    if (client->state != kIdle) continue;
    begun++;
    in_flight++;
    client->began = now_ns();
    if (client->fd < 0)
      open_connection(client);
    else
      send_request(client);
  }
}

/* Looks at what has come so far; true if it was a whole answer. */
static bool take_answer(struct client* client) {
  client->answer[client->used] = 0;
  const char* end = strstr(client->answer, "\r\n\r\n");
  if (!end) return false;
  const char* length = strcasestr(client->answer, "\r\nContent-Length:");
  if (!length || length > end) return false;
  if (client->used < end + 4 - client->answer + atol(length + 17)) return false;
  const bool last =
      strncmp(client->answer + 8, " 200", 4) != 0 || strcasestr(client->answer, "\r\nConnection: close") != 0;
  if (strncmp(client->answer + 8, " 200", 4) == 0) {
    count_answer(atol(end + 4));
    conclude(client, kOk, !last);
  } else {
    conclude(client, kStatus, false);
  }
  return true;
}

static void receive(struct client* client) {
  for (;;) {
    const ssize_t got =
        recv(client->fd, client->answer + client->used, (size_t)(kAnswerMax - client->used), 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0 && client->state == kAsking)
      return conclude(client, outcome_of(client, got < 0 ? errno : 0), false);
    if (got <= 0) return hang_up(client);
    client->used += (int)got;
    if (client->state == kAsking && take_answer(client) && client->fd < 0) return;
  }
}

static void handle(struct client* client) {
  if (client->fd < 0) return;
  if (client->state == kConnecting) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return conclude(client, outcome_of(client, error), false);
    send_request(client);
  }
  if (client->fd >= 0) receive(client);
}

static void give_up_on_hung(void) {
  const int64_t oldest = now_ns() - (int64_t)(timeout_s * 1e9);
  for (int i = 0; i < connections; i++) {
    const bool waits = clients[i].state == kConnecting || clients[i].state == kAsking;
    if (waits && clients[i].began < oldest) conclude(&clients[i], kHung, false);
  }
}

static bool time_is_over(void) {
  if (seconds > 0) return (double)(now_ns() - start_ns) / 1e9 >= seconds;
  struct pollfd input = {.fd = 0, .events = POLLIN};
  return request_limit == 0 && poll(&input, 1, 0) == 1 && (input.revents & POLLHUP);
}

static int by_size(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

static double percentile(double part) {
  const long count = outcomes[kOk];
  return count ? (double)latencies[(long)(part * (double)(count - 1))] : 0;
}

static void print_result(void) {
  const long count = outcomes[kOk];
  double sum = 0;
  for (long i = 0; i < count; i++) sum += (double)latencies[i];
  if (count) qsort(latencies, (size_t)count, sizeof *latencies, by_size);
  printf("{\"requests\":%ld,\"seconds\":%.6f", begun, (double)(last_ns - start_ns) / 1e9);
  for (int i = 0; i < kOutcomes; i++) printf(",\"%s\":%ld", kOutcomeNames[i], outcomes[i]);
  printf(",\"latency_us\":{\"mean\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"max\":%.1f},\"answers\":{",
         count ? sum / (double)count : 0, percentile(0.5), percentile(0.9), percentile(0.99), percentile(1));
  for (int i = 0; i < pid_count; i++) printf("%s\"%ld\":%ld", i ? "," : "", pids[i].pid, pids[i].answers);
  puts("}}");
}

int main(int argc, char** argv) {
  parse_arguments(argc, argv);
  clients = calloc((size_t)connections, sizeof *clients);
  poller = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) clients[i].fd = -1;
  start_ns = last_ns = now_ns();
  int64_t looked_ns = start_ns;
  struct epoll_event events[kEventsMax];
  for (bool over = false; !over || in_flight > 0;) {
    if (!over) begin_requests();
    const int ready = epoll_wait(poller, events, kEventsMax, rate > 0 ? 1 : 100);
    for (int i = 0; i < ready; i++) handle(events[i].data.ptr);
    if (now_ns() - looked_ns > 10000000) {
      give_up_on_hung();
      looked_ns = now_ns();
      over = over || time_is_over();
    }
    over = over || (request_limit > 0 && begun >= request_limit);
  }
  print_result();
  return 0;
}
