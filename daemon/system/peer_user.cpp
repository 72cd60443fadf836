#include "daemon/system/peer_user.h"

#include <sys/socket.h>

#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<uid_t> peer_user(int fd) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return system_error("cannot tell who is connecting", errno);
  }
  return credentials.uid;
}

}  // namespace clusterd
