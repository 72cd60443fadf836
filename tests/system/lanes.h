// Lanes: a group of SO_REUSEPORT listening sockets on loopback under one Steering, and clients of it.
//
// Used by the suites of the two steerings. Connections come to nobody else, so every number can be checked
// exactly. Waits end with the event or fail at a deadline.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_address.h"
#include "daemon/system/steering.h"
#include "daemon/system/unique_fd.h"

namespace clusterd::test {

inline ListenAddress loopback(std::uint16_t port = 0) {
  return {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = port, .path = {}};
}
inline ListenAddress loopback6(std::uint16_t port = 0) {
  ListenAddress address{.family = AddressFamily::tcp6, .port = port, .path = {}};
  address.ip[15] = 1;
  return address;
}
inline ListenAddress dual_stack(std::uint16_t port = 0) {
  return {.family = AddressFamily::tcp6, .port = port, .dual_stack = true, .path = {}};
}

inline bool has_ipv6() {
  const UniqueFd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto where = to_socket_address(loopback6());
  return fd && bind(fd.get(), where->get(), where->length) == 0;
}

// What the kernel does in its own time (timers, softirqs) has come about.
inline bool eventually(const std::function<bool()>& come_true,
                       std::chrono::seconds limit = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!come_true()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

class Lanes {
 public:
  using SocketSource = std::function<UniqueFd(int domain)>;

  // The first lane decides about the port; all listen and are chosen.
  Lanes(std::unique_ptr<Steering> steering, std::size_t count, const ListenAddress& address = loopback(),
        SocketSource sockets = {})
      : steering_(std::move(steering)), address_(address), sockets_(std::move(sockets)) {
    while (fds_.size() < count) add();
    choose_all();
  }
  ~Lanes() {
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      if (fds_[i]) steering_->remove(fds_[i].get());
    }
  }

  std::size_t add() {
    LaneSocket how;
    how.role = fds_.empty() ? LaneSocket::Role::first_of_group : LaneSocket::Role::further;
    if (sockets_) how.prepared = sockets_(socket_domain(address_.family));
    auto fd = open_listening_socket(address_, {}, std::move(how));
    if (!fd) throw std::runtime_error(fd.error().message);
    address_ = local_address(fd->get()).value();
    steering_->add(fd->get()).value();
    fds_.push_back(std::move(*fd));
    listen(fds_.size() - 1);
    return fds_.size() - 1;
  }
  void listen(std::size_t lane) {
    start_listening(fd(lane)).value();
    steering_->listening(fd(lane)).value();
  }
  void remove(std::size_t lane) {
    steering_->remove(fd(lane));
    fds_[lane].reset();
  }
  void choose(std::vector<std::size_t> lanes, WhenNobody when_nobody = WhenNobody::any) {
    std::vector<LaneShare> shares;
    for (const std::size_t lane : lanes) shares.push_back({fd(lane), 1});
    steering_->choose(shares, when_nobody).value();
  }
  void choose_all() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      if (fds_[i]) all.push_back(i);
    }
    choose(all);
  }

  // Empty: errno says why. `from`: the client's socket is bound already.
  UniqueFd connect(UniqueFd from = {}) const { return connect_to(address_, std::move(from)); }
  static UniqueFd connect_to(const ListenAddress& address, UniqueFd from = {}) {
    const auto where = to_socket_address(address);
    if (!from) from.reset(socket(where->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(from.get(), where->get(), where->length) != 0) return {};
    return from;
  }
  std::vector<UniqueFd> connect_many(std::size_t count) const {
    std::vector<UniqueFd> clients;
    while (clients.size() < count) {
      clients.push_back(connect());
      if (!clients.back()) throw std::runtime_error("cannot connect");
    }
    return clients;
  }
  UniqueFd accept(std::size_t lane) const {
    pollfd ready{fd(lane), POLLIN, 0};
    if (poll(&ready, 1, 10'000) != 1) throw std::runtime_error("nobody came");
    return UniqueFd(accept4(fd(lane), nullptr, nullptr, SOCK_CLOEXEC));
  }
  std::vector<UniqueFd> accept_waiting(std::size_t lane) const {
    std::vector<UniqueFd> accepted;
    while (waiting(lane) > 0) accepted.push_back(accept(lane));
    return accepted;
  }

  int waiting(std::size_t lane) const { return accept_queue_length(fd(lane)); }
  std::vector<int> all_waiting() const {
    std::vector<int> lengths;
    for (std::size_t i = 0; i < fds_.size(); ++i) lengths.push_back(fds_[i] ? waiting(i) : 0);
    return lengths;
  }
  LaneCounts counts(std::size_t lane) const { return steering_->counts(fd(lane)).value(); }
  std::vector<std::int64_t> all_open() const {
    std::vector<std::int64_t> open;
    for (std::size_t i = 0; i < fds_.size(); ++i) open.push_back(fds_[i] ? counts(i).open : 0);
    return open;
  }

  int fd(std::size_t lane) const { return fds_[lane].get(); }
  std::size_t size() const { return fds_.size(); }
  Steering& steering() { return *steering_; }
  const ListenAddress& address() const { return address_; }

 private:
  std::unique_ptr<Steering> steering_;
  ListenAddress address_;
  SocketSource sockets_;
  std::vector<UniqueFd> fds_;
};

// A client's socket that has its port before it connects.
struct BoundClient {
  explicit BoundClient(const ListenAddress& own = loopback())
      : fd(socket(socket_domain(own.family), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto where = to_socket_address(own);
    if (bind(fd.get(), where->get(), where->length) == 0) port = local_address(fd.get()).value().port;
  }
  UniqueFd fd;
  std::uint16_t port = 0;
};

// Closes with RST instead of FIN: no TIME_WAIT is left.
inline void reset_connection(UniqueFd& client) {
  const linger at_once{1, 0};
  setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  client.reset();
}

}  // namespace clusterd::test
