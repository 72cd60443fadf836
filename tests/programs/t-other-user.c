/* t-other-user: becomes root for good where it is installed setuid root, prints its pid and sleeps. For what
 * an unprivileged daemon may not signal. Exits with 4 where it is not privileged. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  if (setresuid(0, 0, 0) != 0) return 4;
  printf("%d\n", getpid());
  fflush(stdout);
  for (;;) pause();
}
