/* b-lines PIPE COUNT BYTES: reports, writes COUNT numbered lines of BYTES bytes to standard output as fast as
 * they are taken, reports again, then does nothing until a signal ends it. Lines are numbered so that a lost
 * one is seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { kBytesMax = 4096, kBufferBytes = 65536, kNumberDigits = 9 };

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long count = atol(argv[2]), bytes = atol(argv[3]);
  if (bytes <= kNumberDigits || bytes > kBytesMax) return 2;
  static char buffer[kBufferBytes];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  char line[kBytesMax + 1];
  memset(line, '.', sizeof line);
  line[bytes - 1] = '\n';
  report(argv[1], kBegins, now_ns());
  for (long number = 0; number < count; number++) {
    char digits[32];
    snprintf(digits, sizeof digits, "%0*ld", kNumberDigits, number);
    memcpy(line, digits, kNumberDigits);
    if (fwrite(line, (size_t)bytes, 1, stdout) != 1) return 3;
  }
  fflush(stdout);
  report(argv[1], kEnds, now_ns());
  for (;;) pause();
}
