/* t-sys-sockets: prints what it inherited by LISTEN_FDS: "fds=N pid=0|1 names=..." (pid: whether LISTEN_PID
 * is this process), then the local port of each descriptor from 3 on, one a line, then "open=N", the number
 * of descriptors it has open at all.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char* variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int open_descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) count++;
  closedir(folder);
  return count - 3; /* ".", ".." and the folder itself */
}

int main(void) {
  int count = atoi(variable("LISTEN_FDS"));
  printf("fds=%d pid=%d names=%s\n", count, atoi(variable("LISTEN_PID")) == getpid(),
         variable("LISTEN_FDNAMES"));
  for (int fd = 3; fd < 3 + count; fd++) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr*)&address, &length) != 0) return 1;
    printf("%d\n", ntohs(address.sin_port));
  }
  printf("open=%d\n", open_descriptors());
  return 0;
}
