// peer_user: who is at the other end of a Unix socket. Source: SO_PEERCRED, unix(7).
#pragma once

#include <sys/types.h>

#include "common/result.h"

namespace clusterd {

Result<uid_t> peer_user(int fd);

}  // namespace clusterd
