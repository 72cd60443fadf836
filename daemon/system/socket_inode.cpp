#include "daemon/system/socket_inode.h"

#include <sys/stat.h>

namespace clusterd {

ino_t socket_inode(int fd) {
  struct stat facts{};
  return fstat(fd, &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace clusterd
