// Datagram sockets: opened by the daemon for Node programs, which share one among all workers.
//
// Called by NodeSockets. Non-blocking, CLOEXEC.
#pragma once

#include "common/result.h"
#include "config/listen_address.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct DatagramOptions {
  bool ipv6_only = false;
  bool reuse_address = false;  // SO_REUSEADDR: several sockets may bind the same port
};

// `address` is of family tcp4 or tcp6, of which IP and port are taken. Fails with conflict, denied or config,
// as open_listening_socket does.
Result<UniqueFd> open_datagram_socket(const ListenAddress& address, DatagramOptions options);

}  // namespace clusterd
