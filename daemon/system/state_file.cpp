#include "daemon/system/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "daemon/system/directories.h"
#include "daemon/system/system_error.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

std::unexpected<Error> write_error(const std::string& path, const char* step, int error) {
  return system_error("cannot save " + path + " (" + step + "); what was saved before is still there", error);
}

// A file under a name nobody reads; gone with this object unless it was renamed. The name is fixed, so that a
// crash leaves one such file at most and the next write takes it away.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) { ::unlink(path_.c_str()); }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Returns 0 or the errno of what failed. Renaming a name onto another name of the same file does nothing,
  // so the destructor still has to look after the temporary one.
  int rename_to(const std::string& path) { return ::rename(path_.c_str(), path.c_str()) == 0 ? 0 : errno; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// 0 or errno. The mode holds whatever the umask is.
int write_durably(const std::string& path, std::string_view bytes, mode_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return errno;
  if (::fchmod(fd.get(), mode) != 0) return errno;
  if (const int error = write_all(fd.get(), bytes)) return error;
  return ::fsync(fd.get()) == 0 ? 0 : errno;
}

// Some file systems cannot sync a directory and say EINVAL; there is nothing better to do on those.
int sync_directory(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return errno;
  return ::fsync(fd.get()) == 0 || errno == EINVAL ? 0 : errno;
}

// Gives the present content the backup's name as well; `path` itself keeps naming it all the while.
int keep_previous(const std::string& path) {
  TemporaryFile second_name(backup_path(path) + ".new");
  if (::link(path.c_str(), second_name.path().c_str()) != 0) return errno == ENOENT ? 0 : errno;
  return second_name.rename_to(backup_path(path));
}

bool is_missing_feature(int error) { return error == EPERM || error == EOPNOTSUPP || error == ENOSYS; }

}  // namespace

Result<void> write_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  TemporaryFile fresh(path + ".new");
  if (const int error = write_durably(fresh.path(), bytes, mode)) {
    return write_error(path, "writing", error);
  }
  // A file system without hard links: atomic all the same, only without a backup.
  if (const int error = keep_previous(path); error && !is_missing_feature(error)) {
    return write_error(path, "keeping the previous one", error);
  }
  if (const int error = fresh.rename_to(path)) return write_error(path, "renaming", error);
  if (const int error = sync_directory(parent_directory(path))) {
    return system_error(path + " is saved, but may be lost in a power failure", error);
  }
  return {};
}

Result<std::string> read_whole(const std::string& path, std::size_t bytes_max) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return system_error("cannot read " + path, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return system_error("cannot read " + path, errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::failed, "cannot read " + path + ": not a regular file");

  std::string bytes;
  char buffer[16 * 1024];
  while (bytes.size() <= bytes_max) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read " + path, errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return fail(ErrorCode::failed,
              "cannot read " + path + ": longer than the limit of " + std::to_string(bytes_max) + " bytes");
}

Result<std::string> set_aside(const std::string& path) {
  for (int n = 1; n <= kFilesSetAsideMax; ++n) {
    std::string name = path + ".broken-" + std::to_string(n);
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return name;
    if (errno != EEXIST) return system_error("cannot set " + path + " aside as " + name, errno);
  }
  return fail(ErrorCode::failed, "cannot set " + path + " aside: " + std::to_string(kFilesSetAsideMax) +
                                     " broken files are there already; remove some");
}

}  // namespace clusterd
