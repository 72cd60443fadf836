/* b-idle PIPE: reports that it runs, then does nothing until a signal ends it. */
#include "report.h"

int main(int argc, char** argv) {
  const int64_t began = now_ns();
  if (argc < 2) return 2;
  report(argv[1], kBegins, began);
  for (;;) pause();
}
