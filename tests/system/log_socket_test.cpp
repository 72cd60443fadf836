#include "daemon/system/log_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/system/temp_folder.h"

namespace clusterd {
namespace {

const LogLabels kOut{"web", "default", 2, 7, "out"};
const LogLabels kErr{"web", "staging", 0, 1, "err"};
constexpr MonotonicTime at(int ms) { return MonotonicTime(ms); }

// A receiver, as journald is one.
UniqueFd receiver(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  REQUIRE(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

std::string receive(const UniqueFd& fd) {
  std::string datagram(128 * 1024, '\0');
  const ssize_t size = recv(fd.get(), datagram.data(), datagram.size(), 0);
  datagram.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return datagram;
}

}  // namespace

TEST_CASE("a line for journald: one field a line") {
  CHECK(journald_datagram(kOut, "hello = \xff") ==
        "MESSAGE=hello = \xff\nPRIORITY=6\nSYSLOG_IDENTIFIER=web\nCLUSTERD_APP=web\n"
        "CLUSTERD_NAMESPACE=default\nCLUSTERD_SLOT=2\nCLUSTERD_ID=7\nCLUSTERD_STREAM=out\n");
  CHECK(journald_datagram(kErr, "x").find("\nPRIORITY=3\n") != std::string::npos);
  CHECK(journald_datagram(kErr, "<7>debug").starts_with("MESSAGE=debug\nPRIORITY=7\n"));
  CHECK(journald_datagram(kErr, "<8>x").starts_with("MESSAGE=<8>x\nPRIORITY=3\n"));
}

TEST_CASE("a value with a newline has its length before it, so no field can be forged") {
  CHECK(journald_datagram(kOut, "a\nPRIORITY=0")
            .starts_with(std::string("MESSAGE\n\x0c\0\0\0\0\0\0\0", 16) + "a\nPRIORITY=0\nPRIORITY=6\n"));
}

TEST_CASE("a line for syslog") {
  CHECK(syslog_datagram(kOut, "host", "hello") == "<14>1 - host web 2 out - hello");
  CHECK(syslog_datagram(kErr, "", "<4>hm") == "<12>1 - - staging/web 0 err - hm");
  CHECK(syslog_datagram({"a b\xc3\xa9", "default", 0, 0, "out"}, "h", "")
            .starts_with("<14>1 - h a?b?? 0 out - "));
}

TEST_CASE("lines go out one by one, long ones in pieces, and a receiver that comes back is found again") {
  const test::TempFolder folder;
  const std::string path = folder / "journal";
  setenv("CLUSTERD_JOURNAL_SOCKET", path.c_str(), 1);
  std::vector<std::string> notices;
  const LogServices services =
      LogServices::from_environment([&](const std::string& sentence) { notices.push_back(sentence); });
  unsetenv("CLUSTERD_JOURNAL_SOCKET");
  const auto target = services.target(LogService::journald, kOut);
  CHECK(target->wants_whole_lines());
  target->write("lost\nlost too\n", at(0));
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].find(path) != std::string::npos);

  const UniqueFd service = receiver(path);
  target->write("one\ntwo\n" + std::string(kLogDatagramTextMax + 1, 'x') + "\n", at(5'000));
  REQUIRE(notices.size() == 2);
  CHECK(notices[1].find("2 lines were lost") != std::string::npos);
  CHECK(receive(service).starts_with("MESSAGE=one\n"));
  CHECK(receive(service).starts_with("MESSAGE=two\n"));
  CHECK(receive(service).size() > kLogDatagramTextMax);
  CHECK(receive(service).starts_with("MESSAGE=x\n"));
  CHECK(receive(service).empty());
}

TEST_CASE("a receiver that does not read costs lines, never time") {
  const test::TempFolder folder;
  const std::string path = folder / "log";
  const UniqueFd service = receiver(path);
  std::vector<std::string> notices;
  LogSocket socket(path, [&](const std::string& sentence) { notices.push_back(sentence); });
  for (int i = 0; i < 10'000; ++i) socket.send("line", at(i));
  CHECK(socket.dropped() > 0);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].find("its receiver is too slow") != std::string::npos);
  while (!receive(service).empty()) {
  }
  socket.send("line", at(20'000));
  REQUIRE(notices.size() == 2);
}

}  // namespace clusterd
