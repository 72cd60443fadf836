// SocketPair: both ends of a new unix socket pair, close-on-exec, one for the daemon and one for a child.
// Used for launches, for the balancer's loader and for the message channels of Node programs.
#pragma once

#include <string>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct SocketPair {
  UniqueFd ours;    // never blocks: the flag belongs to the end, not to the pair
  UniqueFd theirs;  // blocks
};

// `type`: SOCK_STREAM or SOCK_SEQPACKET. `what` begins the sentence of an error: "cannot create ...".
Result<SocketPair> open_socket_pair(int type, const std::string& what);

}  // namespace clusterd
