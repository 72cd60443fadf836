// peer_user: who is at the other end of a connected Unix socket, as the kernel recorded it at connect().
// Called by the server for each new client. Source: SO_PEERCRED, unix(7).
#pragma once

#include <sys/types.h>

#include "common/result.h"

namespace clusterd {

Result<uid_t> peer_user(int fd);

}  // namespace clusterd
