// The TCP connections that processes hold: counted, and ended where nothing moves on them.
//
// Used for instances whose connections the in-kernel balancer does not count, and for draining. Costs a dump
// of the kernel's table of the ports in question and a look at every descriptor of the processes, so it is
// asked while somebody waits for the answer only. Sources: sock_diag(7), pidfd_getfd(2), tcp(7).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>

namespace clusterd {

// Established and accepted, with one of these local ports.
std::int64_t count_connections(std::span<const pid_t> pids, std::span<const std::uint16_t> ports);

// Tells the processes that the client has nothing more to say, on every connection on which no byte has moved
// for so long, none waits to be sent or read, and the server spoke last: it owes no answer. A server closes
// such a connection as if the client had. What the client may have sent in that very moment is lost to it:
// the race of every keep-alive timeout (RFC 9112, 9.5). Returns how many.
int end_silent_connections(std::span<const pid_t> pids, std::span<const std::uint16_t> ports,
                           std::chrono::milliseconds silence);

}  // namespace clusterd
