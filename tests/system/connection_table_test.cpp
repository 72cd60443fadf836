#include "daemon/system/connection_table.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "lanes.h"
#include "launched.h"

namespace clusterd::test {
namespace {

using namespace std::chrono_literals;

// A process that accepts `count` connections, answers each first byte with one and holds them. It says "."
// when it has them all, and prints what it reads afterwards: a byte, or "e" for the end.
class Server {
 public:
  Server(int listener, int count) {
    pid_ = fork();
    if (pid_ == 0) serve(listener, count);
    said_.write_end.reset();
    REQUIRE(next() == ".");
  }
  ~Server() {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  pid_t pid() const { return pid_; }
  std::string next() {
    char byte = 0;
    if (!wait_readable(said_.read_end.get()) || read(said_.read_end.get(), &byte, 1) != 1) return "";
    return {byte};
  }

 private:
  [[noreturn]] void serve(int listener, int count) {
    std::vector<pollfd> open;
    while (static_cast<int>(open.size()) < count)
      open.push_back({accept(listener, nullptr, nullptr), POLLIN, 0});
    say('.');
    while (poll(open.data(), open.size(), -1) > 0) {
      for (pollfd& one : open) {
        char byte = 0;
        if (one.revents == 0) continue;
        const ssize_t got = recv(one.fd, &byte, 1, 0);
        if (got <= 0) one.fd = -1;
        if (byte == '?') continue;  // a question that takes its time to answer
        if (got == 1) send(one.fd, &byte, 1, MSG_NOSIGNAL);
        say(got == 1 ? byte : 'e');
      }
    }
    _exit(0);
  }
  void say(char byte) const {
    if (write(said_.write_end.get(), &byte, 1) != 1) _exit(1);
  }

  pid_t pid_ = 0;
  Pipe said_;
};

UniqueFd listener() {
  auto fd = open_listening_socket(loopback());
  REQUIRE(fd);
  REQUIRE(start_listening(fd->get()));
  return std::move(*fd);
}

struct World {
  explicit World(int count) {
    for (int i = 0; i < count; ++i) {
      clients.push_back(Lanes::connect_to(where));
      REQUIRE(clients.back());
    }
  }
  std::uint16_t port() const { return where.port; }

  UniqueFd fd = listener();
  ListenAddress where = local_address(fd.get()).value();
  std::vector<UniqueFd> clients;
};

std::int64_t count_of(const Server& server, std::uint16_t port) {
  const std::array<pid_t, 1> pids{server.pid()};
  const std::array<std::uint16_t, 1> ports{port};
  return count_connections(pids, ports);
}

int end_silent(const Server& server, std::uint16_t port, std::chrono::milliseconds silence) {
  const std::array<pid_t, 1> pids{server.pid()};
  const std::array<std::uint16_t, 1> ports{port};
  return end_silent_connections(pids, ports, silence);
}

}  // namespace

TEST_CASE("connections that a process has accepted are counted, those of its port only") {
  World world(5);
  const Server server(world.fd.get(), 3);
  CHECK(count_of(server, world.port()) == 3);  // two wait
  CHECK(count_of(server, static_cast<std::uint16_t>(world.port() + 1)) == 0);
  CHECK(count_connections({}, {}) == 0);

  World other(2);
  const Server second(other.fd.get(), 2);
  const std::array<pid_t, 2> both{server.pid(), second.pid()};
  const std::array<std::uint16_t, 2> ports{world.port(), other.port()};
  CHECK(count_connections(both, ports) == 5);

  // Closed by its client only: the server has still to do with it.
  world.clients[0].reset();
  CHECK(count_of(server, world.port()) == 3);
}

TEST_CASE("a connection on which nothing moves is ended for its server alone") {
  World world(1);
  Server server(world.fd.get(), 1);
  REQUIRE(eventually([&] { return end_silent(server, world.port(), 50ms) == 1; }));
  CHECK(server.next() == "e");
  char byte = 0;
  CHECK(recv(world.clients[0].get(), &byte, 1, MSG_DONTWAIT) < 0);  // the client has heard nothing of it
}

TEST_CASE("a connection with recent bytes is not silent") {
  World world(1);
  Server server(world.fd.get(), 1);
  REQUIRE(write(world.clients[0].get(), "a", 1) == 1);
  REQUIRE(server.next() == "a");
  CHECK(end_silent(server, world.port(), 10s) == 0);
  // It has been answered, so it is as idle as any after a while.
  CHECK(eventually([&] { return end_silent(server, world.port(), 100ms) == 1; }));
  CHECK(server.next() == "e");
}

TEST_CASE("what has not been read yet is not thrown away") {
  World world(1);
  Server server(world.fd.get(), 1);
  ::kill(server.pid(), SIGSTOP);
  REQUIRE(write(world.clients[0].get(), "a", 1) == 1);
  const auto until = std::chrono::steady_clock::now() + 300ms;
  while (std::chrono::steady_clock::now() < until) REQUIRE(end_silent(server, world.port(), 50ms) == 0);
  ::kill(server.pid(), SIGCONT);
  CHECK(server.next() == "a");
}

TEST_CASE("who waits for an answer is not cut off, however long it takes") {
  World world(1);
  Server server(world.fd.get(), 1);
  poll(nullptr, 0, 50);  // the question has to come measurably after the beginning
  REQUIRE(write(world.clients[0].get(), "?", 1) == 1);
  const auto until = std::chrono::steady_clock::now() + 300ms;
  while (std::chrono::steady_clock::now() < until) REQUIRE(end_silent(server, world.port(), 100ms) == 0);
  REQUIRE(write(world.clients[0].get(), "a", 1) == 1);
  REQUIRE(server.next() == "a");
  CHECK(eventually([&] { return end_silent(server, world.port(), 100ms) == 1; }));
}

TEST_CASE("connections of other ports are left alone") {
  World world(1);
  const Server server(world.fd.get(), 1);
  World other(0);
  CHECK(end_silent(server, other.port(), 0ms) == 0);
}

}  // namespace clusterd::test
