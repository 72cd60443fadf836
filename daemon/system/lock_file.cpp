#include "daemon/system/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string_view>
#include <utility>

#include "daemon/system/state_file.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr int kLockAttemptsMax = 10;
constexpr std::size_t kHolderBytesMax = 1024;

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  ::gethostname(name, HOST_NAME_MAX);
  return name;
}

std::string boot_id() {
  auto id = read_whole("/proc/sys/kernel/random/boot_id", kHolderBytesMax);
  if (!id) return "unknown";
  id->erase(id->find_last_not_of('\n') + 1);
  return *id;
}

// The value of a "key=value" line; empty without one.
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) return line.substr(key.size() + 1);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

std::unexpected<Error> held_by_other(const std::string& path, int fd) {
  char buffer[kHolderBytesMax];
  const ssize_t count = ::pread(fd, buffer, sizeof buffer, 0);
  const std::string_view holder(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);

  std::string message = "another clusterd daemon uses this home";
  if (const auto pid = value_of(holder, "pid"); !pid.empty()) message += ": pid " + std::string(pid);
  const auto host = value_of(holder, "host");
  if (!host.empty() && host != host_name()) message += " on host " + std::string(host);
  return fail(ErrorCode::conflict, message + " (lock " + path + ")");
}

// Whoever holds the lock on a file that was meanwhile moved away holds nothing.
bool path_names(const std::string& path, int fd) {
  struct stat named{};
  struct stat opened{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

// Overwrites before it shortens, so that nobody ever reads an empty holder.
Result<void> write_holder(const std::string& path, int fd) {
  const std::string text =
      "pid=" + std::to_string(::getpid()) + "\nboot_id=" + boot_id() + "\nhost=" + host_name() + "\n";
  const auto size = static_cast<ssize_t>(text.size());
  if (::pwrite(fd, text.data(), text.size(), 0) != size || ::ftruncate(fd, size) != 0) {
    return system_error("cannot write lock file " + path, errno);
  }
  return {};
}

}  // namespace

Result<HomeLock> HomeLock::take(const std::string& path) {
  for (int attempt = 0; attempt < kLockAttemptsMax; ++attempt) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return system_error("cannot open lock file " + path, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return held_by_other(path, fd.get());
      return system_error("cannot lock " + path + " (does its file system support locks?)", errno);
    }
    if (!path_names(path, fd.get())) continue;
    if (auto written = write_holder(path, fd.get()); !written) return fail(written.error());
    return HomeLock(std::move(fd));
  }
  return fail(ErrorCode::failed, "cannot lock " + path + ": something keeps replacing it");
}

}  // namespace clusterd
