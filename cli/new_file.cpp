#include "cli/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace clusterd::cli {
namespace {

std::unexpected<Error> write_error(const std::string& path, int error) {
  if (error == EEXIST) return fail(ErrorCode::conflict, path + " is there already and is left as it is");
  return fail(error == EACCES ? ErrorCode::denied : ErrorCode::failed,
              "cannot write " + path + ": " + std::strerror(error));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<> write_new_file(const std::string& path, std::string_view text, mode_t mode, Existing existing) {
  const bool replaces = existing == Existing::replace;
  const std::string place = replaces ? path + "." + std::to_string(getpid()) + ".new" : path;
  const int fd = open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return write_error(place, errno);
  bool good = write_all(fd, text);
  int error = errno;
  if (close(fd) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && replaces && std::rename(place.c_str(), path.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (good) return {};
  unlink(place.c_str());
  return write_error(path, error);
}

}  // namespace clusterd::cli
