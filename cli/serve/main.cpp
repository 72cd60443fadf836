// clusterd-serve: a small web server for the files of a folder. Started by the daemon as the program of an
// app; what starts that app is `clusterd serve`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/serve/http_server.h"
#include "cli/serve/serve_names.h"
#include "common/version.h"

namespace {

// The user name and password are no arguments: those everybody on the machine can read.
std::string taken_from_environment(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace clusterd::serve;
  CLI::App options("Serves the files of a folder over HTTP.", "clusterd-serve");
  std::string folder = ".";
  ServerAddress address{"0.0.0.0", 8080};
  Policy policy;
  options.add_option("folder", folder, "what to serve; default: the current folder");
  options.add_option("--host", address.host, "IP address to listen on; default: all of IPv4");
  options.add_option("--port", address.port, "default: 8080");
  options.add_flag("--spa", policy.spa, "what is not there is index.html");
  options.set_version_flag("--version", std::string("clusterd-serve ") + std::string(clusterd::kVersion));
  CLI11_PARSE(options, argc, argv);
  policy.user = taken_from_environment(kUserVariable);
  policy.password = taken_from_environment(kPasswordVariable);

  auto site = Site::open(folder);
  const auto ended =
      site ? run_server(address, *site, policy,
                        [&] {
                          std::printf("serving %s on http://%s:%u\n", folder.c_str(), address.host.c_str(),
                                      static_cast<unsigned>(address.port));
                          std::fflush(stdout);
                        })
           : clusterd::Result<>(clusterd::fail(site.error()));
  if (ended) return 0;
  std::fprintf(stderr, "clusterd-serve: %s\n", ended.error().message.c_str());
  return 1;
}
