// Port holder: which process listens on a TCP port, for the sentence of an error.
//
// Called by listening_socket after EADDRINUSE only: it walks through /proc, which costs milliseconds on a
// large machine. An unprivileged daemon sees its own user's processes only. Source: proc(5), /proc/net/tcp.
#pragma once

#include <cstdint>
#include <string>

namespace clusterd {

// "node (pid 4711)"; empty if it cannot be told.
std::string describe_port_holder(std::uint16_t port);

}  // namespace clusterd
