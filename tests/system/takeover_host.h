// TakeoverHost: the smallest policy that shares sockets between launched trees, for tests.
//
// One socket an address: the first bind opens it, every bind gets it; listen on one of ours makes it listen.
// Plays the part of the daemon while a test waits for something.
#pragma once

#include <poll.h>
#include <sys/stat.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "daemon/system/bind_takeover.h"
#include "daemon/system/listening_socket.h"
#include "launched.h"

namespace clusterd::test {

inline ino_t inode_of(int fd) {
  struct stat about;
  REQUIRE(fstat(fd, &about) == 0);
  return about.st_ino;
}

class TakeoverHost {
 public:
  // Called before the policy; true if the call was answered.
  std::function<bool(BindTakeover&, const SocketCall&)> before_policy;
  std::vector<SocketCall> calls;
  int listens = 0;

  // Waits until the program runs.
  void add(Launched& launched) {
    REQUIRE(launched.outcome() == LaunchChannel::State::executed);
    UniqueFd fd = launched.channel().take_takeover_fd();
    REQUIRE(fd);
    trees_.emplace_back(std::move(fd));
  }

  int socket_of(const ListenAddress& address) const { return sockets_.at(address).get(); }
  std::size_t closed() const { return closed_; }

  void serve_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    while (!done()) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      std::vector<pollfd> ready;
      for (const BindTakeover& tree : trees_) ready.push_back({tree.fd(), POLLIN, 0});
      poll(ready.data(), ready.size(), 10);
      for (BindTakeover& tree : trees_) answer_all(tree);
      std::erase_if(trees_, [](const BindTakeover& tree) { return tree.fd() < 0; });
    }
  }

  // The first line the program prints.
  std::string line_of(Launched& launched) {
    serve_until([&] { return wait_readable(launched.output(), std::chrono::milliseconds(0)); });
    return read_text(launched.output(), Until::line);
  }

 private:
  void answer_all(BindTakeover& tree) {
    SocketCall call;
    BindTakeover::Receive received;
    while ((received = tree.receive(call)) == BindTakeover::Receive::call) {
      calls.push_back(call);
      if (before_policy && before_policy(tree, call)) continue;
      if (call.kind == SocketCall::Kind::bind) {
        answer_bind(tree, call);
      } else {
        answer_listen(tree, call);
      }
    }
    if (received != BindTakeover::Receive::closed) return;
    tree = BindTakeover(UniqueFd());
    ++closed_;
  }

  void answer_bind(BindTakeover& tree, const SocketCall& call) {
    if (!call.address) return tree.pass(call);
    auto found = sockets_.find(*call.address);
    if (found == sockets_.end()) {
      auto opened = open_listening_socket(*call.address);
      if (!opened) return tree.refuse(call, EADDRINUSE);
      found = sockets_.emplace(*call.address, std::move(*opened)).first;
    }
    const auto placed = tree.substitute(call, found->second.get());
    if (!placed) WARN(placed.error().message);
  }

  void answer_listen(BindTakeover& tree, const SocketCall& call) {
    for (const auto& [address, fd] : sockets_) {
      if (inode_of(fd.get()) != call.socket_inode) continue;
      REQUIRE(start_listening(fd.get()));
      ++listens;
      return tree.succeed(call);
    }
    tree.pass(call);
  }

  std::deque<BindTakeover> trees_;
  std::map<ListenAddress, UniqueFd> sockets_;
  std::size_t closed_ = 0;
};

}  // namespace clusterd::test
