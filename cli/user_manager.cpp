#include "cli/user_manager.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/local_files.h"

namespace clusterd::cli {
namespace {

constexpr int kPollMs = 20;

bool is_own(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && about.st_uid == geteuid();
}

}  // namespace

bool is_lingering(const std::string& user) {
  return look_at("/var/lib/systemd/linger/" + user) != FileKind::missing;
}

std::string point_to_user_manager(const Caller& caller) {
  const std::string known = variable(caller, "XDG_RUNTIME_DIR");
  if (!known.empty() && is_own(known)) return known;
  std::string folder = "/run/user/" + std::to_string(geteuid());
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  unsetenv("DBUS_SESSION_BUS_ADDRESS");  // as foreign as the other one
  return folder;
}

bool takes_orders(const std::string& runtime_folder, std::chrono::milliseconds patience) {
  const std::string socket = runtime_folder + "/systemd/private";
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!is_own(socket)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    poll(nullptr, 0, kPollMs);
  }
  return true;
}

}  // namespace clusterd::cli
