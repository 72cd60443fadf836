#include "daemon/system/pid_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "daemon/system/directories.h"
#include "daemon/system/system_error.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool is_regular(int fd) {
  struct stat facts{};
  return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

Result<void> write_pid_file(const std::string& path, pid_t pid) {
  if (auto made = make_directories(parent_directory(path), 0755); !made) return fail(made.error());
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | kFlags, 0644));
  if (!fd) return system_error("cannot write pid file " + path, errno);
  if (!is_regular(fd.get())) return fail(ErrorCode::failed, "pid file " + path + " is not a regular file");
  const std::string text = std::to_string(pid) + "\n";
  if (ftruncate(fd.get(), 0) != 0 ||
      write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("cannot write pid file " + path, errno);
  }
  return {};
}

void remove_pid_file(const std::string& path, pid_t pid) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | kFlags));
  if (!fd || !is_regular(fd.get())) return;
  std::array<char, 32> text{};
  const ssize_t size = read(fd.get(), text.data(), text.size() - 1);
  if (size > 0 && std::string(text.data(), static_cast<std::size_t>(size)) == std::to_string(pid) + "\n") {
    unlink(path.c_str());
  }
}

}  // namespace clusterd
