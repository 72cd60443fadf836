// Steering: who in one group of SO_REUSEPORT listening sockets ("lanes") gets the next new connection.
//
// Owned by one listener of the listener book; one implementation in the kernel's eBPF (kernel_steering), one
// in classic BPF for daemons without privileges (classic_steering). A lane is named by its descriptor, which
// must stay open from add() to remove(). Nothing here blocks; what it costs a connection is well under a
// microsecond, and nothing a request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/result.h"

namespace clusterd {

enum class Spread : std::uint8_t {
  least_conn,   // the lane with the fewest open connections for its weight, ties in turn
  round_robin,  // the next one
  random,
  hash,  // by the client's address and port
};

struct LaneShare {
  int fd = -1;
  unsigned weight = 1;
  unsigned permille = 0;  // of all connections, whatever the spread: a canary; 0: its part of the rest
};

struct LaneCounts {
  std::int64_t open = 0;        // connections from their handshake until the server closes them
  std::uint64_t total = 0;      // ever
  std::int64_t handshakes = 0;  // under way
};

// What happens to new connections when no lane is to get any.
enum class WhenNobody : std::uint8_t {
  any,     // any listening socket takes them
  refuse,  // they are refused, where the kernel lets us
};

class Steering {
 public:
  virtual ~Steering() = default;

  virtual void set_spread(Spread spread) = 0;  // from the next choose() on
  virtual Result<void> add(int fd) = 0;        // bound, does not listen yet
  virtual Result<void> listening(int fd) = 0;  // it listens now, or again
  virtual void remove(int fd) = 0;             // is about to be closed
  virtual Result<void> choose(std::span<const LaneShare> lanes, WhenNobody when_nobody) = 0;

  // A connection of our own from this port will go to this lane, though it may get no others: how one
  // instance is looked at behind an address of many. False: not possible here.
  virtual bool direct(std::uint16_t port, int fd) = 0;
  virtual void undirect(std::uint16_t port) = 0;

  // Empty: this way of steering cannot count.
  virtual std::optional<LaneCounts> counts(int fd) const = 0;
  // Connections that wait in a lane move to the others when it stops listening.
  virtual bool migrates() const = 0;
};

}  // namespace clusterd
