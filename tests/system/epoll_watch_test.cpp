// An epoll that waits for a socket before it is bound hears of connections to the socket that takes its
// place.
#include "daemon/system/epoll_watch.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "lanes.h"

namespace clusterd::test {
namespace {

ino_t inode_of(int fd) {
  struct stat about{};
  fstat(fd, &about);
  return about.st_ino;
}

UniqueFd watching(int fd, std::uint64_t data) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = data;
  REQUIRE(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  return epoll;
}

}  // namespace

TEST_CASE("the entry of a descriptor is found among others, and only of the same socket") {
  constexpr std::string_view kText =
      "pos:\t0\nflags:\t02\n"
      "tfd:        4 events: 80000019 data:                4  pos:0 ino:1a sdev:8\n"
      "tfd:        5 events: 8000001d data: ffff00000000beef  pos:0 ino:1b sdev:8\n";
  const auto entry = parse_epoll_entry(kText, 5, 0x1b);
  REQUIRE(entry);
  CHECK(entry->events == 0x8000001d);
  CHECK(entry->data == 0xffff00000000beef);
  CHECK_FALSE(parse_epoll_entry(kText, 5, 0x1a));
  CHECK_FALSE(parse_epoll_entry(kText, 6, 0x1b));
  CHECK_FALSE(parse_epoll_entry("tfd: 5 events: x", 5, 0x1b));
  CHECK_FALSE(parse_epoll_entry("", 5, 0x1b));
}

TEST_CASE(
    "whoever watched the old socket is told of the new one, with its own data and under its own number") {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(number >= 0);
  const UniqueFd first = watching(number, 0x1234567890abcdef);
  const UniqueFd second = watching(number, 7);
  const auto watches = EpollWatches::of(getpid(), number, inode_of(number));

  // What the exchange in bind() does: another open file under the same number.
  auto listener = open_listening_socket(loopback(0), {}, {});
  REQUIRE(listener);
  REQUIRE(start_listening(listener->get()));
  REQUIRE(dup2(listener->get(), number) == number);
  REQUIRE(watches.move_to(listener->get()));

  const UniqueFd client = Lanes::connect_to(local_address(listener->get()).value(), {});
  REQUIRE(client);
  epoll_event event{};
  REQUIRE(epoll_wait(first.get(), &event, 1, 10'000) == 1);
  CHECK(event.data.u64 == 0x1234567890abcdef);
  CHECK(epoll_wait(first.get(), &event, 1, 0) == 0);  // EPOLLET was kept
  REQUIRE(epoll_wait(second.get(), &event, 1, 10'000) == 1);
  CHECK(event.data.u64 == 7);
  CHECK(epoll_ctl(first.get(), EPOLL_CTL_DEL, number, nullptr) == 0);
  close(number);
}

TEST_CASE("a socket that nobody watches has nothing to move") {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(EpollWatches::of(getpid(), fd.get(), inode_of(fd.get())).empty());
}

}  // namespace clusterd::test
