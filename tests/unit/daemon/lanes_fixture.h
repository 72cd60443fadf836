// What the tests of LaneGroup and ListenerBook need: real sockets on loopback, clients, and who gets them.
//
// Waits end with the event or fail at a deadline.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <vector>

#include "daemon/lane_group.h"
#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_address.h"

namespace clusterd::test {

inline ListenAddress loopback(std::uint16_t port = 0) {
  return {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = port, .path = {}};
}

// Empty: errno says why.
inline UniqueFd client_of(const ListenAddress& address) {
  const auto where = to_socket_address(address);
  UniqueFd fd(socket(where->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), where->get(), where->length) != 0) fd.reset();
  return fd;
}

inline std::vector<UniqueFd> clients_of(const ListenAddress& address, std::size_t count) {
  std::vector<UniqueFd> clients;
  while (clients.size() < count) {
    clients.push_back(client_of(address));
    REQUIRE(clients.back());
  }
  return clients;
}

// Up to this many wait there; the loopback is synchronous, but a CPU may lag behind.
inline bool queue_becomes(int fd, int length) {
  for (int tries = 0; tries < 5'000; ++tries) {
    if (accept_queue_length(fd) == length) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

}  // namespace clusterd::test
