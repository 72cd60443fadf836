#include "daemon/system/log_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <vector>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using namespace std::chrono_literals;
using clusterd::test::file_content;
using clusterd::test::TempFolder;

namespace {

// A log with its notices, and the shorthand of a single writer.
struct Fixture {
  explicit Fixture(const std::string& path)
      : log(path, [this](const std::string& sentence) { notices.push_back(sentence); }),
        writer(log.add_writer()) {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
  }

  void write(std::string_view bytes, MonotonicTime now) { log.write(writer, bytes, now); }

  std::vector<std::string> notices;
  LogFile log;
  LogFile::Writer writer;
};

std::string read_available(int fd) {
  char buffer[256 * 1024];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  return {buffer, count > 0 ? static_cast<std::size_t>(count) : 0};
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a log and its folders are created closed to strangers") {
  const TempFolder folder;
  Fixture f(folder / "a/b/web.log");
  CHECK(f.notices.empty());
  CHECK(mode_of(folder / "a/b/web.log") == 0640);
  CHECK(mode_of(folder / "a") == 0750);
  CHECK(mode_of(folder / "a/b") == 0750);
}

TEST_CASE("a log is appended to and keeps what was there") {
  const TempFolder folder;
  test::write_file(folder / "web.log", "old\n");
  Fixture f(folder / "web.log");
  f.write("new\n", 0s);
  CHECK(file_content(folder / "web.log") == "old\nnew\n");
  CHECK(f.log.size() == 8);
  CHECK(f.log.dropped_bytes() == 0);
}

TEST_CASE("a FIFO nobody reads blocks nothing, is reported once, and recovers with its first reader") {
  const TempFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  Fixture f(path);
  f.write("lost\n", 1s);
  f.write("lost\n", 3s);
  REQUIRE(f.notices.size() == 1);
  CHECK(f.notices[0].find("nobody has it open for reading") != std::string::npos);
  CHECK(f.log.dropped_bytes() == 10);

  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  f.write("one\n", 5s);
  f.write("two\n", 6s);
  CHECK(read_available(reader.get()) == "one\ntwo\n");
  REQUIRE(f.notices.size() == 2);
  CHECK(f.notices[1] == "log file " + path + " can be written again; 10 bytes were lost");
}

TEST_CASE("a FIFO whose reader has gone costs output, not the daemon") {
  const TempFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Fixture f(path);
  f.write("one\n", 0s);
  CHECK(read_available(reader.get()) == "one\n");
  reader.reset();
  f.write("lost\n", 1s);
  CHECK(f.log.dropped_bytes() == 5);
  REQUIRE(f.notices.size() == 1);

  reader.reset(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  f.write("two\n", 2s);
  CHECK(read_available(reader.get()) == "two\n");
  CHECK(f.notices.size() == 2);
}

TEST_CASE("a reader that is too slow costs output and does not flood the daemon's log") {
  const TempFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Fixture f(path);
  const std::string line = std::string(8191, 'x') + "\n";
  MonotonicTime now = 0s;
  std::size_t received = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) f.write(line, now += 1ms);
    received += read_available(reader.get()).size();
  }
  CHECK(f.log.dropped_bytes() > 0);
  CHECK(received + f.log.dropped_bytes() >= 20 * 20 * line.size());
  CHECK(f.notices.size() == 1);
}

TEST_CASE("a full device is reported once, every lost byte is counted") {
  Fixture f("/dev/full");
  for (int second = 0; second < 5; ++second) f.write("lost\n", std::chrono::seconds(second));
  REQUIRE(f.notices.size() == 1);
  CHECK(f.notices[0].find("cannot write log file /dev/full: No space left on device") == 0);
  CHECK(f.log.dropped_bytes() == 25);
}

TEST_CASE("what follows a gap begins on a line of its own") {
  const TempFolder folder;
  Fixture f(folder / "web.log");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = 8;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  f.write("one\n", 0s);
  f.write("twotwotwo\n", 0s);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  f.write("three\n", 2s);
  CHECK(file_content(folder / "web.log") == "one\ntwot\nthree\n");
  CHECK(f.log.dropped_bytes() == 6);
  REQUIRE(f.notices.size() == 2);
  CHECK(f.notices[1].ends_with("6 bytes were lost"));
}

TEST_CASE("/dev/null swallows everything without a complaint") {
  Fixture f("/dev/null");
  f.write("x", 0s);
  CHECK(f.log.truncate());
  CHECK(f.log.size() == 0);
  CHECK(f.log.dropped_bytes() == 0);
  CHECK(f.notices.empty());
}

TEST_CASE("a terminal that is stopped does not stop the daemon") {
  const UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal);
  REQUIRE(::grantpt(terminal.get()) == 0);
  REQUIRE(::unlockpt(terminal.get()) == 0);
  Fixture f(::ptsname(terminal.get()));
  f.write("hello", 0s);
  CHECK(read_available(terminal.get()) == "hello");
  for (int i = 0; i < 100; ++i) f.write(std::string(4096, 'x'), 0s);
  CHECK(f.log.dropped_bytes() > 0);
}

TEST_CASE("standard output that is a socket is written to") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  Fixture f("/proc/self/fd/" + std::to_string(ends[1]));
  f.write("to the journal\n", 0s);
  f.write("and on\n", 2s);
  CHECK(f.notices.empty());
  CHECK(read_available(ours.get()) == "to the journal\nand on\n");
}

TEST_CASE("a file that was moved or removed is created anew within the check interval") {
  const TempFolder folder;
  const std::string path = folder / "logs/web.log";
  Fixture f(path);
  f.write("one\n", 10s);

  SECTION("moved") { REQUIRE(::rename(path.c_str(), (path + ".1").c_str()) == 0); }
  SECTION("removed") { REQUIRE(::unlink(path.c_str()) == 0); }
  SECTION("its folder moved") { std::filesystem::rename(folder / "logs", folder / "old"); }
  SECTION("replaced") {
    REQUIRE(::rename(path.c_str(), (path + ".1").c_str()) == 0);
    test::write_file(path, "");
  }

  f.write("late\n", 10s + kFileCheckInterval - 1ms);
  f.write("two\n", 10s + kFileCheckInterval);
  CHECK(file_content(path) == "two\n");
  CHECK(f.notices.empty());
}

TEST_CASE("output just after a move is in the moved file, not lost") {
  const TempFolder folder;
  const std::string path = folder / "web.log";
  Fixture f(path);
  f.write("one\n", 10s);
  REQUIRE(::rename(path.c_str(), (path + ".1").c_str()) == 0);
  f.write("two\n", 10s + 999ms);
  CHECK(file_content(path + ".1") == "one\ntwo\n");
}

TEST_CASE("a log that cannot be opened is tried again and tells how much was lost") {
  const TempFolder folder;
  test::write_file(folder / "logs", "in the way");
  Fixture f(folder / "logs/web.log");
  REQUIRE(f.notices.size() == 1);
  CHECK(f.notices[0].find("logs exists and is not a directory") != std::string::npos);
  f.write("lost\n", 1s);
  REQUIRE(::unlink((folder / "logs").c_str()) == 0);
  f.write("lost\n", 1s + 500ms);
  f.write("kept\n", 3s);
  CHECK(file_content(folder / "logs/web.log") == "kept\n");
  REQUIRE(f.notices.size() == 2);
  CHECK(f.notices[1].ends_with("can be written again; 10 bytes were lost"));
}

TEST_CASE("a moved log that cannot be created anew is written on, and reported once") {
  const TempFolder folder;
  Fixture f(folder / "logs/web.log");
  f.write("one\n", 0s);
  std::filesystem::rename(folder / "logs", folder / "old");
  test::write_file(folder / "logs", "in the way");
  for (MonotonicTime now = 1s; now < 10s; now += 100ms) f.write("on\n", now);
  CHECK(f.notices.size() == 1);
  CHECK(f.log.dropped_bytes() == 0);
  CHECK(file_content(folder / "old/web.log").size() == 4 + 90 * 3);
}

TEST_CASE("reopen follows a rotation by others and keeps the open file when it fails") {
  const TempFolder folder;
  const std::string path = folder / "logs/web.log";
  Fixture f(path);
  f.write("one\n", 0s);
  REQUIRE(::rename(path.c_str(), (path + ".1").c_str()) == 0);
  REQUIRE(f.log.reopen());
  f.write("two\n", 0s);
  CHECK(file_content(path + ".1") == "one\n");
  CHECK(file_content(path) == "two\n");

  std::filesystem::rename(folder / "logs", folder / "old");
  test::write_file(folder / "logs", "in the way");
  const auto reopened = f.log.reopen();
  REQUIRE_FALSE(reopened);
  CHECK(reopened.error().message.find(path) != std::string::npos);
  f.write("three\n", 0s);
  CHECK(file_content(folder / "old/web.log") == "two\nthree\n");
}

TEST_CASE("emptying a log, by us or by copy-and-truncate, leaves no hole") {
  const TempFolder folder;
  const std::string path = folder / "web.log";
  Fixture f(path);
  f.write(std::string(100'000, 'x') + "unfinished", 0s);
  SECTION("by us") { REQUIRE(f.log.truncate()); }
  SECTION("by others") { REQUIRE(::truncate(path.c_str(), 0) == 0); }
  f.log.write(f.log.add_writer(), "next\n", 0s);
  CHECK(file_content(path) == "next\n");
}

TEST_CASE("nobody continues the unfinished line of another writer") {
  const TempFolder folder;
  Fixture f(folder / "web.log");
  const auto other = f.log.add_writer();
  f.write("prompt", 0s);
  f.write("> ", 0s);
  f.log.write(other, "second\n", 0s);
  f.write("answer\n", 0s);
  CHECK(file_content(folder / "web.log") == "prompt> \nsecond\nanswer\n");
}

TEST_CASE("the first line below an unfinished old file stands on its own") {
  const TempFolder folder;
  test::write_file(folder / "web.log", "Segmentation fa");
  Fixture f(folder / "web.log");
  f.write("started\n", 0s);
  CHECK(file_content(folder / "web.log") == "Segmentation fa\nstarted\n");
}
