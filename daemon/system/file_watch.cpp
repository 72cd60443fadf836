#include "daemon/system/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<FileWatch> FileWatch::create(const std::string& folder) {
  UniqueFd inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) return system_error("cannot watch " + folder, errno);
  if (inotify_add_watch(inotify.get(), folder.c_str(), IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR) < 0) {
    return system_error("cannot watch " + folder, errno);
  }
  return FileWatch(std::move(inotify));
}

void FileWatch::drain() {
  std::array<char, 4096> buffer;
  while (read(inotify_.get(), buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace clusterd
