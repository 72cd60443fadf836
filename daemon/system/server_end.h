// server_end_inode: which socket of this machine a TCP connection of ours has led to.
//
// Used by probes: instances share a listening socket, and whose process holds the accepted socket is the one
// that answers. One request to the kernel (NETLINK_SOCK_DIAG, exact lookup), answered at once; needs no
// rights.
#pragma once

#include <sys/types.h>

#include <optional>

namespace clusterd {

// 0: nobody has accepted it yet. Nothing: not TCP, not on this machine, or not to be found out.
std::optional<ino_t> server_end_inode(int client_fd);

}  // namespace clusterd
