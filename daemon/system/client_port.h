// bind_any_port: decides which port a connection of ours will come from before it is made.
//
// Used by probes, which have to say it to the balancer first.
#pragma once

#include <cstdint>

namespace clusterd {

// The port; 0 if the socket is none of TCP or no port is free: then it is simply not known.
std::uint16_t bind_any_port(int fd);

}  // namespace clusterd
