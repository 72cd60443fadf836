// socket_inode: the identity of a socket, the same for every descriptor of it in every process.
//
// Used by the listener book to recognise its own sockets in the hands of an app.
#pragma once

#include <sys/types.h>

namespace clusterd {

ino_t socket_inode(int fd);  // 0 if fd cannot be examined

}  // namespace clusterd
