#include "daemon/system/output_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <random>
#include <sstream>
#include <vector>

#include "daemon/system/file_target.h"
#include "daemon/system/log_hub.h"
#include "tests/system/temp_folder.h"

using namespace clusterd;
using namespace std::chrono_literals;
using clusterd::test::file_content;
using clusterd::test::TempFolder;
using Status = OutputPump::Status;

namespace {

constexpr MonotonicTime kNow = 100s;

struct RecordingSink : OutputSink {
  void output(std::string_view chunk) override { chunks.emplace_back(chunk); }
  std::string all() const {
    std::string text;
    for (const auto& chunk : chunks) text += chunk;
    return text;
  }
  std::vector<std::string> chunks;
};

// One instance's stream: the app's end of the pipe and the pump at the other end.
struct Stream {
  explicit Stream(const std::shared_ptr<LogFile>& log) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    app_end.reset(ends[1]);
    pump = std::make_unique<OutputPump>(UniqueFd(ends[0]), std::make_unique<FileTarget>(log));
  }

  // Writes what may be more than the pipe holds, pumping when it is full.
  void print(std::string_view text) {
    ::fcntl(app_end.get(), F_SETFL, O_NONBLOCK);
    while (!text.empty()) {
      const ssize_t count = ::write(app_end.get(), text.data(), text.size());
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
      pump->pump(kNow);
    }
  }

  Status end() {
    app_end.reset();
    return pump->pump(kNow);
  }

  UniqueFd app_end;
  std::unique_ptr<OutputPump> pump;
};

struct Fixture {
  TempFolder folder;
  LogHub hub{{}};
  std::shared_ptr<LogFile> log = hub.file_for(folder / "web.log");
  std::string content() const { return file_content(folder / "web.log"); }
};

std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

}  // namespace

TEST_CASE("bytes reach the log as printed, NULs and broken UTF-8 included") {
  Fixture f;
  const std::string bytes = random_bytes(3'000'000, 1);
  Stream alone(f.log);

  SECTION("straight through") {
    alone.print(bytes);
    CHECK(alone.end() == Status::ended);
    CHECK(f.content() == bytes);
  }
  SECTION("held back line by line") {
    const Stream other(f.log);
    alone.print(bytes);
    CHECK(alone.end() == Status::ended);
    CHECK(f.content() == bytes);
  }
}

TEST_CASE("an empty pipe is drained, a closed one has ended") {
  Fixture f;
  Stream stream(f.log);
  CHECK(stream.pump->pump(kNow) == Status::drained);
  stream.print("x\n");
  CHECK(stream.pump->pump(kNow) == Status::drained);
  CHECK(stream.end() == Status::ended);
}

TEST_CASE("output left in the pipe by a dead app is read to its end") {
  Fixture f;
  Stream stream(f.log);
  REQUIRE(::write(stream.app_end.get(), "last words", 10) == 10);
  CHECK(stream.end() == Status::ended);
  CHECK(f.content() == "last words");
}

TEST_CASE("one call moves a limited amount, so that others get their turn") {
  Fixture f;
  Stream stream(f.log);
  constexpr int kPipeBytes = 1024 * 1024;
  REQUIRE(::fcntl(stream.app_end.get(), F_SETPIPE_SZ, kPipeBytes) >= kPipeBytes);
  const std::string text(2 * kPumpBytesMax - 1, 'x');
  REQUIRE(::write(stream.app_end.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  CHECK(stream.pump->pump(kNow) == Status::more);
  CHECK(f.content().size() == kPumpBytesMax);
  CHECK(stream.pump->pump(kNow) == Status::drained);
  CHECK(f.content() == text);
}

TEST_CASE("with the file to itself a prompt shows up at once") {
  Fixture f;
  Stream stream(f.log);
  stream.print("prompt> ");
  CHECK(f.content() == "prompt> ");
  CHECK_FALSE(stream.pump->holds_partial());
}

TEST_CASE("lines of instances that share a file never mix") {
  Fixture f;
  Stream first(f.log);
  Stream second(f.log);
  first.print("first be");
  second.print("second\n");
  first.print("gins\nand goes");
  second.print("second again\n");
  CHECK(first.pump->holds_partial());
  first.print(" on\n");
  CHECK_FALSE(first.pump->holds_partial());
  CHECK(f.content() == "second\nfirst begins\nsecond again\nand goes on\n");
}

TEST_CASE("a held line is let go when asked, and nobody else continues it") {
  Fixture f;
  Stream first(f.log);
  Stream second(f.log);
  first.print("prompt> ");
  CHECK(f.content().empty());
  first.pump->flush_partial(kNow);
  CHECK(f.content() == "prompt> ");
  second.print("second\n");
  CHECK(f.content() == "prompt> \nsecond\n");
}

TEST_CASE("a held line is let go when the other writers have gone") {
  Fixture f;
  Stream first(f.log);
  auto second = std::make_unique<Stream>(f.log);
  first.print("a");
  second.reset();
  first.print("b");
  CHECK(f.content() == "ab");
}

TEST_CASE("the unfinished last line of a dead instance is kept and its successor begins a new one") {
  Fixture f;
  {
    Stream dead(f.log);
    dead.print("no newline");
    CHECK(dead.end() == Status::ended);
  }
  SECTION("the successor has the file to itself") {
    Stream next(f.log);
    next.print("started\n");
    CHECK(f.content() == "no newline\nstarted\n");
  }
  SECTION("the successor shares the file") {
    Stream next(f.log);
    Stream other(f.log);
    next.print("started\n");
    CHECK(f.content() == "no newline\nstarted\n");
  }
}

TEST_CASE("a line around the limit of what is held is neither changed nor split by a newline") {
  for (const std::size_t size :
       {kHeldLineBytesMax - 1, kHeldLineBytesMax, kHeldLineBytesMax + 1, 3 * kHeldLineBytesMax}) {
    Fixture f;
    Stream stream(f.log);
    const Stream other(f.log);
    const std::string line = random_bytes(size, 2) + "\n";
    stream.print(line);
    stream.print("next\n");
    CHECK(f.content() == line + "next\n");
  }
}

TEST_CASE("a line longer than the limit is not held") {
  Fixture f;
  Stream stream(f.log);
  const Stream other(f.log);
  stream.print(std::string(kHeldLineBytesMax - 1, 'x'));
  CHECK(f.content().empty());
  stream.print("x");
  CHECK(f.content().size() == kHeldLineBytesMax);
}

TEST_CASE("whole lines of many writers arrive complete and in each writer's order, however they are cut") {
  Fixture f;
  std::mt19937 random(11);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::string> pending(4);
  for (int writer = 0; writer < 4; ++writer) {
    streams.push_back(std::make_unique<Stream>(f.log));
    for (int line = 0; line < 300; ++line) {
      pending[writer] += std::to_string(writer) + " " + std::to_string(line) + " " +
                         std::string(random() % 300, static_cast<char>('a' + writer)) + ".\n";
    }
  }
  const std::vector<std::string> printed = pending;
  for (int left = 4; left > 0;) {
    const int writer = static_cast<int>(random() % 4);
    if (pending[writer].empty()) continue;
    const std::size_t size = std::min<std::size_t>(pending[writer].size(), 1 + random() % 700);
    streams[writer]->print(pending[writer].substr(0, size));
    pending[writer].erase(0, size);
    if (pending[writer].empty()) --left;
  }

  std::vector<std::string> received(4);
  std::istringstream lines(f.content());
  for (std::string line; std::getline(lines, line);) received.at(line.at(0) - '0') += line + "\n";
  CHECK(received == printed);
}

TEST_CASE("a follower gets whole lines, exactly the bytes of the log, and nothing after it left") {
  Fixture f;
  RecordingSink sink;
  Stream stream(f.log);
  stream.print("before\n");
  stream.pump->set_sink(&sink);
  stream.print("one\ntwo\nth");
  stream.print("ree\n\xff\n");
  stream.pump->set_sink(nullptr);
  stream.print("after\n");
  CHECK(sink.all() == "one\ntwo\nthree\n\xff\n");
  for (const auto& chunk : sink.chunks) CHECK(chunk.ends_with('\n'));
  CHECK(f.content() == "before\none\ntwo\nthree\n\xff\nafter\n");
}

TEST_CASE("a follower gets the unfinished last line at the end of the stream") {
  Fixture f;
  RecordingSink sink;
  Stream stream(f.log);
  stream.pump->set_sink(&sink);
  stream.print("bye");
  CHECK(sink.chunks.empty());
  CHECK(stream.end() == Status::ended);
  CHECK(sink.all() == "bye");
}

TEST_CASE("a follower gets output that the full disk lost") {
  LogHub hub({});
  RecordingSink sink;
  const auto full = hub.file_for("/dev/full");
  Stream stream(full);
  stream.pump->set_sink(&sink);
  stream.print("still here\n");
  CHECK(sink.all() == "still here\n");
  CHECK(full->dropped_bytes() == 11);
}

TEST_CASE("the tail has the last output, unfinished lines included") {
  Fixture f;
  Stream stream(f.log);
  const Stream other(f.log);
  stream.print(std::string(2 * kOutputTailBytesMax, 'x') + "\nError: no such table");
  const std::string tail = stream.pump->tail();
  CHECK(tail.size() == kOutputTailBytesMax);
  CHECK(tail.ends_with("x\nError: no such table"));
}

TEST_CASE("only the pipe of a busy stream is widened") {
  Fixture f;
  Stream stream(f.log);
  const int before = ::fcntl(stream.app_end.get(), F_GETPIPE_SZ);
  stream.print("quiet\n");
  CHECK(::fcntl(stream.app_end.get(), F_GETPIPE_SZ) == before);
  stream.print(std::string(kReadBytesMax, 'x'));
  CHECK(::fcntl(stream.app_end.get(), F_GETPIPE_SZ) == kBusyPipeBytes);
}

TEST_CASE("a line still held when the pump is dropped is not lost") {
  Fixture f;
  const Stream other(f.log);
  {
    Stream stream(f.log);
    stream.print("a grandchild holds the pipe");
  }
  CHECK(f.content() == "a grandchild holds the pipe");
}

TEST_CASE("a pump leaves the writers of its log when it goes") {
  Fixture f;
  {
    const Stream stream(f.log);
    CHECK(f.log->writer_count() == 1);
  }
  CHECK(f.log->writer_count() == 0);
}
