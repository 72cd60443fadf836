#include "daemon/system/notify_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "daemon/system/socket_address.h"
#include "launched.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

void send_text(const NotifySocket& socket, const std::string& text, int fd = -1) {
  const auto where = to_socket_address({.family = AddressFamily::unix_stream, .path = socket.path()});
  const UniqueFd client(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(where->get());
  message.msg_namelen = where->length;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  REQUIRE(sendmsg(client.get(), &message, 0) == static_cast<ssize_t>(text.size()));
}

NotifySocket created(const std::string& path) {
  auto socket = NotifySocket::create(path);
  if (!socket) FAIL(socket.error().message);
  return std::move(*socket);
}

TEST_CASE("every field of a notification is understood and unknown ones are ignored") {
  const auto message = parse_notify_text(
      "READY=1\nSTATUS=Serving = "
      "well\nMAINPID=77\nX_UNKNOWN=1\nnonsense\n\nSTOPPING=1\nRELOADING=1\nWATCHDOG=1\nERRNO=2");
  CHECK(message.ready);
  CHECK(message.status == "Serving = well");
  CHECK(message.main_pid == 77);
  CHECK(message.stopping);
  CHECK(message.reloading);
  CHECK(message.watchdog);
  CHECK(message.error == 2);
}

TEST_CASE("watchdog words, times and the stamp of a reload are understood") {
  const auto message = parse_notify_text(
      "WATCHDOG=trigger\nWATCHDOG_USEC=5000000\nEXTEND_TIMEOUT_USEC=77\nRELOADING=1\nMONOTONIC_USEC=123");
  CHECK_FALSE(message.watchdog);
  CHECK(message.watchdog_trigger);
  CHECK(message.watchdog_usec == 5'000'000);
  CHECK(message.extend_timeout_usec == 77);
  CHECK(message.monotonic_usec == 123);
  CHECK_FALSE(parse_notify_text("WATCHDOG_USEC=-1").watchdog_usec);
}

TEST_CASE("the descriptor of a barrier lives as long as its message, that of any other message does not") {
  const TempFolder folder;
  NotifySocket socket = created(folder / "notify");
  for (const std::string text : {"BARRIER=1", "READY=1\nBARRIER=1", "READY=1"}) {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    send_text(socket, text, write_end.get());
    write_end.reset();
    auto messages = socket.receive();
    REQUIRE(messages.size() == 1);
    char byte;
    const bool open = read(read_end.get(), &byte, 1) < 0 && errno == EAGAIN;
    CHECK(open == (text == "BARRIER=1"));
    messages.clear();
    CHECK(read(read_end.get(), &byte, 1) == 0);
  }
}

TEST_CASE("only READY=1 is ready, and broken numbers are no numbers") {
  for (const char* text : {"", "READY=0", "READY=", "READY", "ready=1", " READY=1", "READY=1 ", "\n\n=\n"}) {
    CHECK_FALSE(parse_notify_text(text).ready);
  }
  CHECK_FALSE(parse_notify_text("MAINPID=12x").main_pid);
  CHECK_FALSE(parse_notify_text("MAINPID=99999999999999").main_pid);
  CHECK_FALSE(parse_notify_text("ERRNO=").error);
}

TEST_CASE("a real process says it is ready, and the message bears its pid") {
  const TempFolder folder;
  NotifySocket socket = created(folder / "notify.sock");
  const char* program =
      "import os,socket\n"
      "s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\n"
      "s.sendto(b'READY=1\\nSTATUS=up',os.environ['NOTIFY_SOCKET'])\n";
  LaunchPlan plan = program_plan({"/usr/bin/python3", "-c", program});
  plan.environment.push_back("NOTIFY_SOCKET=" + socket.path());
  Launched launched(plan);
  REQUIRE(wait_readable(socket.fd()));
  const auto messages = socket.receive();
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].ready);
  CHECK(messages[0].pid == launched.pid());
  CHECK(messages[0].uid == geteuid());
  CHECK(messages[0].status == "up");
  CHECK(socket.receive().empty());
  CHECK(launched.wait_status() == 0);
}

TEST_CASE("messages that are too long or contain NUL are dropped, and the next one is taken") {
  NotifySocket socket = created("@clusterd-notify-" + std::to_string(getpid()));
  send_text(socket, "READY=1\nSTATUS=" + std::string(kNotifyBytesMax, 'x'));
  send_text(socket, std::string("READY=1\0x", 9));
  send_text(socket, "");
  send_text(socket, std::string("STOPPING=1\0", 11));
  send_text(socket, "STATUS=" + std::string(kNotifyBytesMax - 7, 'x'));
  const auto messages = socket.receive();
  REQUIRE(messages.size() == 3);
  for (const auto& message : messages) CHECK_FALSE(message.ready);
  CHECK(messages[1].stopping);
  CHECK(messages[2].status->size() == kNotifyBytesMax - 7);
}

TEST_CASE("a barrier is released: descriptors that come along are closed") {
  NotifySocket socket = created("@clusterd-notify-" + std::to_string(getpid()));
  Pipe barrier;
  send_text(socket, "BARRIER=1", barrier.write_end.get());
  barrier.write_end.reset();
  CHECK_FALSE(wait_readable(barrier.read_end.get(), std::chrono::milliseconds(0)));
  CHECK(socket.receive().size() == 1);
  CHECK(wait_readable(barrier.read_end.get()));  // end of file
}

TEST_CASE("a stale socket file is replaced, another file is not, and ours goes with its owner") {
  const TempFolder folder;
  const std::string path = folder / "notify.sock";
  CHECK(created(path).fd() >= 0);
  CHECK_FALSE(std::filesystem::exists(path));
  NotifySocket first = created(path);
  NotifySocket second = std::move(first);
  struct stat about;
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0666);
  NotifySocket replaced = created(path);
  send_text(replaced, "READY=1");
  CHECK(replaced.receive().size() == 1);

  write_file(folder / "precious", "data");
  CHECK_FALSE(NotifySocket::create(folder / "precious"));
  CHECK(file_content(folder / "precious") == "data");
}

}  // namespace
}  // namespace clusterd::test
