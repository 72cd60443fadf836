// clusterd: the command line program. Understands one command, talks to the daemon, prints, exits.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/operation_run.h"

namespace {

// With `>&-` the socket to the daemon would become descriptor 1, and our output requests.
void occupy_standard_descriptors() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1);
  }
}

clusterd::cli::ColorWish color_wish(const clusterd::cli::Arguments& arguments) {
  using clusterd::cli::ColorWish;
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  bool unwanted = arguments.no_color || (no_color != nullptr && *no_color != '\0');
  return unwanted ? ColorWish::never : ColorWish::automatic;
}

int run(const std::vector<std::string>& words) {
  using namespace clusterd::cli;
  auto parsed = parse_arguments(words);
  Arguments arguments = parsed.value_or(Arguments{});
  Console console(STDOUT_FILENO, STDERR_FILENO, arguments.silent ? Loudness::silent : Loudness::normal,
                  color_wish(arguments));
  if (!parsed) return report(parsed.error(), console);
  int status = run_command(arguments, observe_caller(), console);
  return console.exit_status(status);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  signal(SIGPIPE, SIG_IGN);  // a reader that left shows as EPIPE, which ends us quietly
  try {
    return run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& fault) {
    std::string line = std::string("clusterd: internal fault: ") + fault.what() + "\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    return EXIT_FAILURE;
  }
}
