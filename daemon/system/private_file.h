// make_private: closes a file opened by a library to other users (0600) and to children (close-on-exec).
//
// Called for the daemon's own log, which the logging library opens. Best effort; never fails, closes nothing.
#pragma once

#include <cstdio>

namespace clusterd {

void make_private(std::FILE* file);

}  // namespace clusterd
