// report.h: how a program of the bench says "I am here": one record into a named pipe, with the monotonic
// time.
//
// Used by b-idle, b-lines and b-server; read by lab/reports.py. A record is three 64-bit numbers in the order
// of the machine, written at once, so records of many writers never mix. The reader holds the pipe open for
// both directions, so opening it does not wait.
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { kBegins = 1, kEnds = 2 };

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void report(const char* pipe_path, int64_t kind, int64_t when_ns) {
  const int64_t record[3] = {kind, getpid(), when_ns};
  const int fd = open(pipe_path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, record, sizeof record) != sizeof record) _exit(4);
  close(fd);
}
