#include "daemon/system/socket_pair.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "daemon/system/system_error.h"

namespace clusterd {

Result<SocketPair> open_socket_pair(int type, const std::string& what) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return system_error(what, errno);
  SocketPair pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK) != 0) return system_error(what, errno);
  return pair;
}

}  // namespace clusterd
