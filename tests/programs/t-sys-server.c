/* t-sys-server PORT [WORD...]: binds, listens and answers every connection with "PID\n", one at a time.
 *
 *   v6         [::] instead of 127.0.0.1, dual stack      v6only     IPv6 only
 *   nonblock   O_NONBLOCK before bind                     cloexec    SOCK_CLOEXEC
 *   reuseport  SO_REUSEPORT before bind                   nodelay    TCP_NODELAY before bind
 *   mptcp      an MPTCP socket, as Go makes them          thread     bind in another thread than the first
 *   twice      bind again afterwards                      udp        a UDP socket; no listen
 *   any        0.0.0.0 by AF_UNSPEC, as very old programs do
 *
 * Prints one line once it listens: "port=N nonblock=0|1 cloexec=0|1 nodelay=0|1 second=ERRNO", or
 * "bind=ERRNO", "listen=ERRNO" and exits with 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char** words;

static int has(const char* word) {
  for (char** at = words; *at; at++) {
    if (strcmp(*at, word) == 0) return 1;
  }
  return 0;
}

static struct sockaddr_storage address;
static socklen_t address_length;
static int listener, bind_error;

static void fill_address(int port) {
  if (has("v6") || has("v6only")) {
    struct sockaddr_in6* in = (struct sockaddr_in6*)&address;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons((uint16_t)port);
    address_length = sizeof *in;
    return;
  }
  struct sockaddr_in* in = (struct sockaddr_in*)&address;
  in->sin_family = has("any") ? AF_UNSPEC : AF_INET;
  in->sin_port = htons((uint16_t)port);
  in->sin_addr.s_addr = has("any") ? INADDR_ANY : htonl(INADDR_LOOPBACK);
  address_length = sizeof *in;
}

static void* bind_it(void* unused) {
  bind_error = bind(listener, (struct sockaddr*)&address, address_length) == 0 ? 0 : errno;
  return unused;
}

static void set(int level, int name, int value) {
  if (setsockopt(listener, level, name, &value, sizeof value) != 0) perror("setsockopt");
}

static void open_socket(void) {
  int v6 = has("v6") || has("v6only");
  int type = (has("udp") ? SOCK_DGRAM : SOCK_STREAM) | (has("cloexec") ? SOCK_CLOEXEC : 0);
  if (has("nonblock")) type |= SOCK_NONBLOCK;
  listener = socket(v6 ? AF_INET6 : AF_INET, type, has("mptcp") ? 262 : 0);
  if (v6) set(IPPROTO_IPV6, IPV6_V6ONLY, has("v6only"));
  if (has("reuseport")) set(SOL_SOCKET, SO_REUSEPORT, 1);
  if (has("nodelay")) set(IPPROTO_TCP, TCP_NODELAY, 1);
}

static int fail(const char* call, int error) {
  printf("%s=%d\n", call, error);
  return 1;
}

static void report(int second) {
  struct sockaddr_in where = {0};
  socklen_t length = sizeof address;
  getsockname(listener, (struct sockaddr*)&address, &length);
  memcpy(&where, &address, sizeof where); /* the port is at the same place in IPv6 */
  int nodelay = 0;
  length = sizeof nodelay;
  getsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &nodelay, &length);
  printf("port=%d nonblock=%d cloexec=%d nodelay=%d second=%d\n", ntohs(where.sin_port),
         (fcntl(listener, F_GETFL) & O_NONBLOCK) != 0, (fcntl(listener, F_GETFD) & FD_CLOEXEC) != 0,
         nodelay != 0, second);
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  words = argv + 2;
  fill_address(atoi(argv[1]));
  open_socket();
  pthread_t thread;
  if (has("thread")) {
    pthread_create(&thread, NULL, bind_it, NULL);
    pthread_join(thread, NULL);
  } else {
    bind_it(NULL);
  }
  if (bind_error) return fail("bind", bind_error);
  int first = bind_error;
  if (has("twice")) bind_it(NULL);
  int second = bind_error;
  bind_error = first;
  if (!has("udp") && listen(listener, 1) != 0) return fail("listen", errno);
  report(second);
  for (;;) {
    struct pollfd ready = {listener, POLLIN, 0};
    poll(&ready, 1, -1);
    int client = accept(listener, NULL, NULL);
    if (client < 0) continue; /* another instance was quicker */
    dprintf(client, "%d\n", getpid());
    close(client);
  }
}
