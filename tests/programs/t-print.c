/* t-print [options]: writes a known byte sequence, then stays or ends.
 *
 *   --lines N         N lines "line 1" ... "line N"
 *   --records N       N lines of 100 bytes: number of the instance, number of the line, padding; torn over
 * the writes
 *   --bytes N         N bytes, byte i is i % 256, after the lines
 *   --text STR        STR as it is, without a line end, after the bytes
 *   --long-line N     one line of N bytes 'x' with "\xf0\x9f\x98\x80" across every 65536th byte border, and
 * its end
 *   --chunk N         bytes per write (65536)         --pause MS  between two writes
 *   --stderr          writes to standard error
 *   --farewell N      on SIGTERM or SIGINT: "bye 1" ... "bye N", 10 ms apart, then exit 0
 *   --then exit:CODE | signal:NUMBER | stay           (stay)
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int output = STDOUT_FILENO, chunk = 65536, pause_us = 0, farewell = 0;

static void put(const char* data, size_t size) {
  while (size > 0) {
    size_t now = size < (size_t)chunk ? size : (size_t)chunk;
    ssize_t wrote = write(output, data, now);
    if (wrote < 0) continue;
    data += wrote;
    size -= (size_t)wrote;
    if (pause_us > 0) usleep((useconds_t)pause_us);
  }
}

static void put_lines(const char* word, int count, int gap_us) {
  for (int i = 1; i <= count; i++) {
    char line[64];
    put(line, (size_t)snprintf(line, sizeof line, "%s %d\n", word, i));
    if (gap_us > 0) usleep((useconds_t)gap_us);
  }
}

/* In blocks that end anywhere, as a buffered program writes them. */
static void put_records(int count) {
  enum { kRecord = 100, kBatch = 1000 };
  static char batch[kRecord * kBatch + 1];
  const char* instance = getenv("NODE_APP_INSTANCE");
  const unsigned number = instance ? (unsigned)atoi(instance) % 1000u : 0;
  for (int done = 0; done < count;) {
    int now = count - done < kBatch ? count - done : kBatch;
    for (int i = 0; i < now; i++)
      sprintf(batch + i * kRecord, "%3u %09u %85s\n", number, (unsigned)++done % 1000000000u, "end");
    put(batch, (size_t)now * kRecord);
  }
}

static void put_bytes(size_t count) {
  char* data = malloc(count);
  for (size_t i = 0; i < count; i++) data[i] = (char)(i % 256);
  put(data, count);
  free(data);
}

static void put_long_line(size_t count) {
  char* data = malloc(count + 4);
  memset(data, 'x', count);
  for (size_t border = 65536; border + 2 < count; border += 65536)
    memcpy(data + border - 2, "\xf0\x9f\x98\x80", 4);
  data[count] = '\n';
  put(data, count + 1);
  free(data);
}

static void say_goodbye(int number) {
  put_lines("bye", farewell, 10000);
  _exit(number > 0 ? 0 : 1);
}

static void end_as_told(const char* how) {
  const char* value = strchr(how, ':');
  if (strncmp(how, "exit:", 5) == 0) _exit(atoi(value + 1));
  if (strncmp(how, "signal:", 7) == 0) kill(getpid(), atoi(value + 1));
  for (;;) pause();
}

int main(int argc, char** argv) {
  static const struct option names[] = {
      {"lines", 1, 0, 'l'},   {"bytes", 1, 0, 'b'}, {"text", 1, 0, 't'},   {"long-line", 1, 0, 'L'},
      {"chunk", 1, 0, 'c'},   {"pause", 1, 0, 'p'}, {"stderr", 0, 0, 'e'}, {"farewell", 1, 0, 'f'},
      {"records", 1, 0, 'r'}, {"then", 1, 0, 'T'},  {0, 0, 0, 0}};
  int lines = 0, records = 0, bytes = 0, long_line = 0;
  const char *text = "", *then = "stay";
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == '?') return 2;
    if (c == 'l') lines = atoi(optarg);
    if (c == 'r') records = atoi(optarg);
    if (c == 'b') bytes = atoi(optarg);
    if (c == 't') text = optarg;
    if (c == 'L') long_line = atoi(optarg);
    if (c == 'c') chunk = atoi(optarg);
    if (c == 'p') pause_us = atoi(optarg) * 1000;
    if (c == 'e') output = STDERR_FILENO;
    if (c == 'f') farewell = atoi(optarg);
    if (c == 'T') then = optarg;
  }
  if (farewell > 0) signal(SIGTERM, say_goodbye), signal(SIGINT, say_goodbye);
  put_lines("line", lines, 0);
  put_records(records);
  if (bytes > 0) put_bytes((size_t)bytes);
  put(text, strlen(text));
  if (long_line > 0) put_long_line((size_t)long_line);
  end_as_told(then);
}
