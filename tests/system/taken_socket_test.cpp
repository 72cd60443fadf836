// Listening sockets of another process: the same sockets, each once, and nothing that is no listener.
#include "daemon/system/taken_socket.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "daemon/system/socket_inode.h"

namespace clusterd::test {
namespace {

UniqueFd bound_socket(std::uint16_t port, bool reuse_port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
  const int on = reuse_port ? 1 : 0;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

std::uint16_t port_of(const UniqueFd& fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  REQUIRE(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

// Holds whatever was open when it was made.
struct Holder {
  pid_t pid = fork();
  Holder() {
    if (pid == 0) {
      pause();
      _exit(0);
    }
  }
  ~Holder() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

}  // namespace

TEST_CASE("a listener of several processes is taken once, with its address; others are left") {
  UniqueFd listener = bound_socket(0, false);
  REQUIRE(listen(listener.get(), 8) == 0);
  const UniqueFd silent = bound_socket(0, false);
  const ino_t inode = socket_inode(listener.get());
  const std::uint16_t port = port_of(listener);
  Holder first;
  Holder second;
  listener.reset();
  auto taken = take_listening_sockets({first.pid, second.pid});
  REQUIRE(taken);
  REQUIRE(taken->size() == 1);
  CHECK(socket_inode(taken->front().fd.get()) == inode);
  CHECK(to_string(taken->front().address) == "127.0.0.1:" + std::to_string(port));
}

TEST_CASE("several sockets of one address are refused") {
  UniqueFd first = bound_socket(0, true);
  REQUIRE(listen(first.get(), 8) == 0);
  const UniqueFd second = bound_socket(port_of(first), true);
  REQUIRE(listen(second.get(), 8) == 0);
  const Holder holder;
  const auto taken = take_listening_sockets({holder.pid});
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::conflict);
}

TEST_CASE("who listens nowhere gives nothing, and who is not there is an error") {
  const Holder holder;
  const auto nothing = take_listening_sockets({holder.pid});
  REQUIRE(nothing);
  CHECK(nothing->empty());
  CHECK(take_listening_sockets({4'194'305}).error().code == ErrorCode::not_found);
}

}  // namespace clusterd::test
