#include "daemon/system/socket_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/unique_fd.h"

namespace clusterd {

SocketFile SocketFile::at(const std::string& path) {
  SocketFile file;
  struct stat about;
  if (path.empty() || path[0] == '@') return file;
  file.path = path;
  if (lstat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode)) {
    file.device = about.st_dev;
    file.inode = about.st_ino;
  }
  return file;
}

bool SocketFile::in_place() const {
  if (path.empty()) return true;
  const SocketFile now = at(path);
  return now.inode != 0 && now.inode == inode && now.device == device;
}

void SocketFile::remove() const {
  if (!path.empty() && in_place()) unlink(path.c_str());
}

void SocketFile::add_mode(mode_t bits) const {
  if (path.empty() || bits == 0) return;
  struct stat about;
  const UniqueFd fd(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!fd || fstat(fd.get(), &about) != 0 || about.st_ino != inode || about.st_dev != device) return;
  chmod(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), (about.st_mode | bits) & 07777);
}

}  // namespace clusterd
