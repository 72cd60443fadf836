// A network of our own: a name space (network_namespaces(7)) with nothing in it but a loopback interface.
//
// Used by `prove`, so that an app can be run on its real ports beside the one in production. It lives as long
// as a process in it, so there is nothing to remove.
#pragma once

#include "common/result.h"

namespace clusterd::cli {

// Moves this process (which must have one thread) into it. Without the right to do so a user name space comes
// along in which this user is who he was: user_namespaces(7). Errors are of code denied.
Result<> enter_private_network();

}  // namespace clusterd::cli
