#include "daemon/system/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace clusterd {

void make_private(std::FILE* file) {
  const int fd = ::fileno(file);
  ::fchmod(fd, 0600);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

}  // namespace clusterd
