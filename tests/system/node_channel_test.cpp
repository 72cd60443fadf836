// The channel as the program at its other end sees it.
#include "daemon/system/node_channel.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_inode.h"

namespace clusterd {
namespace {

struct Ends {
  NodeChannel channel = std::move(NodeChannel::open().value());
  UniqueFd child{dup(channel.child_end())};
  Ends() { channel.close_child_end(); }

  void say(std::string_view text) {
    REQUIRE(write(child.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
};

struct Heard {
  std::string text;
  UniqueFd socket;
};

Heard hear(int fd) {
  Heard heard;
  char bytes[64 * 1024];
  iovec part{bytes, sizeof bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count > 0) heard.text.assign(bytes, static_cast<std::size_t>(count));
  if (const cmsghdr* header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr) {
    int received = -1;
    std::memcpy(&received, CMSG_DATA(header), sizeof received);
    heard.socket.reset(received);
  }
  return heard;
}

UniqueFd some_socket() {
  return std::move(
      open_listening_socket({.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .path = {}}).value());
}

TEST_CASE("lines are put together from pieces") {
  Ends ends;
  ends.say("on");
  CHECK(ends.channel.receive().lines.empty());
  ends.say("e\ntwo\n\nthr");
  CHECK(ends.channel.receive().lines == std::vector<std::string>{"one", "two", ""});
  ends.say("ee\n");
  const auto received = ends.channel.receive();
  CHECK(received.lines == std::vector<std::string>{"three"});
  CHECK_FALSE(received.ended);
  ends.child.reset();
  CHECK(ends.channel.receive().ended);
}

TEST_CASE("a line beyond the limit is skipped and the next one is heard") {
  Ends ends;
  const std::string chunk(32 * 1024, 'x');
  bool too_long = false;
  std::vector<std::string> lines;
  const auto take = [&] {
    auto received = ends.channel.receive();
    too_long = too_long || received.too_long;
    lines.insert(lines.end(), received.lines.begin(), received.lines.end());
  };
  for (std::size_t sent = 0; sent <= kNodeLineBytesMax; sent += chunk.size()) {
    ends.say(chunk);
    take();
  }
  CHECK(too_long);
  ends.say("rest\nnext\n");
  take();
  CHECK(lines == std::vector<std::string>{"next"});
}

TEST_CASE("a line of exactly the limit is heard") {
  Ends ends;
  const std::string chunk(64 * 1024, 'x');
  for (std::size_t sent = 0; sent < kNodeLineBytesMax; sent += chunk.size()) {
    ends.say(chunk);
    CHECK_FALSE(ends.channel.receive().too_long);
  }
  ends.say("\n");
  CHECK(ends.channel.receive().lines.at(0).size() == kNodeLineBytesMax);
}

TEST_CASE("sockets go one at a time, each after the last was acknowledged") {
  Ends ends;
  const UniqueFd socket = some_socket();
  NodeOutbox& outbox = ends.channel.outbox();
  CHECK(outbox.add("first\n", duplicate_for_event_loop(socket.get())));
  CHECK(outbox.add("second\n", duplicate_for_event_loop(socket.get())));
  CHECK(outbox.add("third\n"));
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  Heard heard = hear(ends.child.get());
  CHECK(heard.text == "first\n");
  CHECK(socket_inode(heard.socket.get()) == socket_inode(socket.get()));
  CHECK(hear(ends.child.get()).text.empty());

  outbox.add_urgent("urgent\n");
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  CHECK(hear(ends.child.get()).text == "urgent\n");

  outbox.acknowledged();
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  heard = hear(ends.child.get());
  CHECK(heard.text == "second\n");
  CHECK(heard.socket);
  outbox.acknowledged();
  outbox.acknowledged();  // one too many does nothing
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  CHECK(hear(ends.child.get()).text == "third\n");
}

TEST_CASE("a lost socket is sent again, and not for ever") {
  Ends ends;
  NodeOutbox& outbox = ends.channel.outbox();
  outbox.add("socket\n", some_socket());
  outbox.add("after\n");
  for (int tries = 0; tries <= kHandleRetransmissionsMax; ++tries) {
    CHECK_FALSE(outbox.gave_up_on_socket());
    CHECK(ends.channel.flush() == NodeOutbox::State::idle);
    const Heard heard = hear(ends.child.get());
    CHECK(heard.text == "socket\n");
    CHECK(heard.socket);
    outbox.lost();
  }
  CHECK(outbox.gave_up_on_socket());
  CHECK_FALSE(outbox.gave_up_on_socket());
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  CHECK(hear(ends.child.get()).text == "after\n");
}

TEST_CASE("who does not read blocks nobody, fills the outbox and then loses messages") {
  Ends ends;
  const std::string line = std::string(100'000, 'x') + '\n';
  std::size_t taken = 0;
  while (ends.channel.outbox().add(line)) {
    ++taken;
    static_cast<void>(ends.channel.flush());
    REQUIRE(taken < 100);
  }
  CHECK(ends.channel.flush() == NodeOutbox::State::blocked);
  std::size_t bytes = 0;
  for (Heard heard = hear(ends.child.get()); !heard.text.empty(); heard = hear(ends.child.get())) {
    bytes += heard.text.size();
    static_cast<void>(ends.channel.flush());
  }
  CHECK(bytes == taken * line.size());
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);
  CHECK(ends.channel.outbox().add(line));
}

TEST_CASE("the other end is gone") {
  Ends ends;
  ends.child.reset();
  ends.channel.outbox().add("hello\n");
  CHECK(ends.channel.flush() == NodeOutbox::State::broken);
  CHECK(ends.channel.flush() == NodeOutbox::State::idle);  // nothing left to say
}

TEST_CASE("descriptors the program sends do not stay") {
  Ends ends;
  NodeOutbox theirs;
  theirs.add("with a socket\n", some_socket());
  CHECK(theirs.flush(ends.child.get()) == NodeOutbox::State::idle);
  const int next = dup(ends.child.get());
  close(next);
  CHECK(ends.channel.receive().lines == std::vector<std::string>{"with a socket"});
  const UniqueFd same(dup(ends.child.get()));
  CHECK(same.get() == next);
}

}  // namespace
}  // namespace clusterd
