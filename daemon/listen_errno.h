// listen_errno: what a program sees as errno when the daemon cannot give it the socket it asked for.
//
// Used where programs ask: bind() and listen() taken over, and the messages of Node workers.
#pragma once

#include "common/result.h"

namespace clusterd {

int listen_errno(const Error& error);

}  // namespace clusterd
