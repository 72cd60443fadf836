#include "cli/logs/file_tail.h"

#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/unit/cli/temp_folder.h"

using namespace clusterd::cli;

namespace {

std::string tail_text(const std::string& path, int lines, std::int64_t end = -1) {
  auto tail = FileTail::open(path);
  REQUIRE(tail);
  if (end < 0) end = tail->facts()->size;
  auto start = tail->find_start(end, lines);
  REQUIRE(start);
  std::string text;
  REQUIRE(tail->read_range(start->offset, end, [&](std::string_view bytes) {
    text += bytes;
    return true;
  }));
  return text;
}

}  // namespace

TEST_CASE("the last lines are exactly the last lines") {
  TempFolder folder;
  std::string path = folder.write("log", "one\ntwo\nthree\n");
  CHECK(tail_text(path, 1) == "three\n");
  CHECK(tail_text(path, 2) == "two\nthree\n");
  CHECK(tail_text(path, 3) == "one\ntwo\nthree\n");
  CHECK(tail_text(path, 99) == "one\ntwo\nthree\n");
  CHECK(tail_text(path, 0).empty());
}

TEST_CASE("a last line without newline is a line, and empty lines count") {
  TempFolder folder;
  CHECK(tail_text(folder.write("a", "one\ntwo"), 1) == "two");
  CHECK(tail_text(folder.write("b", "one\n\n\n"), 2) == "\n\n");
  CHECK(tail_text(folder.write("c", "\n"), 5) == "\n");
  CHECK(tail_text(folder.write("d", ""), 5).empty());
}

TEST_CASE("bytes beyond the given length are not shown: they come as events") {
  TempFolder folder;
  CHECK(tail_text(folder.write("log", "one\ntwo\nthree\n"), 1, 8) == "two\n");
  CHECK(tail_text(folder.write("log", "one\ntwo\nthree\n"), 1, 6) == "tw");
}

TEST_CASE("lines across the borders of blocks are found at every alignment") {
  TempFolder folder;
  for (std::size_t shift = 0; shift < 5; ++shift) {
    std::string last = std::string(kTailBlockBytes - 2 + shift, 'x') + "\n";
    std::string path = folder.write("log", "first\n" + last + "tail\n");
    CHECK(tail_text(path, 2) == last + "tail\n");
    CHECK(tail_text(path, 3) == "first\n" + last + "tail\n");
  }
}

TEST_CASE("a line of 100 MiB is cut, not read into memory") {
  TempFolder folder;
  std::string path = folder.write("log", "start\n");
  REQUIRE(truncate(path.c_str(), 100 << 20) == 0);  // zeros without a newline
  auto tail = FileTail::open(path);
  REQUIRE(tail);
  auto start = tail->find_start(tail->facts()->size, 15);
  REQUIRE(start);
  CHECK(start->cut);
  CHECK(tail->facts()->size - start->offset <= static_cast<std::int64_t>(kTailLineBytesMax) + 1);
}

TEST_CASE("of a huge sparse file only the end is read") {
  TempFolder folder;
  std::string path = folder.write("log", "");
  REQUIRE(truncate(path.c_str(), std::int64_t{4} << 30) == 0);
  FILE* file = fopen(path.c_str(), "ab");
  REQUIRE(file != nullptr);
  for (int i = 0; i < 100; ++i) fprintf(file, "\nline %d", i);
  fclose(file);
  CHECK(tail_text(path, 2) == "line 98\nline 99");
}

TEST_CASE("what is no regular file is refused with its name") {
  TempFolder folder;
  auto folder_tail = FileTail::open(folder.path());
  REQUIRE_FALSE(folder_tail);
  CHECK(folder_tail.error().message.find(folder.path()) != std::string::npos);
  auto missing = FileTail::open(folder.at("missing"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == clusterd::ErrorCode::not_found);
}

TEST_CASE("reading ends when the reader has had enough") {
  TempFolder folder;
  std::string path = folder.write("log", std::string(10 * kTailBlockBytes, 'x'));
  auto tail = FileTail::open(path);
  REQUIRE(tail);
  int pieces = 0;
  REQUIRE(tail->read_range(0, 10 * kTailBlockBytes, [&](std::string_view) { return ++pieces < 2; }));
  CHECK(pieces == 2);
}

TEST_CASE("a file that was renamed is found by what it is, and nothing else is taken for it") {
  TempFolder folder;
  std::string path = folder.write("web.log", "old\n");
  FileIdentity identity = FileTail::open(path)->facts()->identity;
  REQUIRE(rename(path.c_str(), folder.at("web.log.1").c_str()) == 0);
  folder.write("web.log", "new\n");
  auto tail = FileTail::open(path, identity);
  REQUIRE(tail);
  CHECK(tail->path() == folder.at("web.log.1"));
  REQUIRE(unlink(folder.at("web.log.1").c_str()) == 0);
  auto gone = FileTail::open(path, identity);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().message.find("rotated away") != std::string::npos);
}

TEST_CASE("only wanted lines are counted, also those that cross the borders of blocks") {
  TempFolder folder;
  std::string filler;
  for (int i = 0; i < 20'000; ++i) filler += "nothing here " + std::to_string(i) + "\n";
  std::string path = folder.write("log", "hit 1\n" + filler + "hit 2\n" + filler + "hit 3\n" + filler);
  auto tail = FileTail::open(path);
  REQUIRE(tail);
  const auto is_hit = [](std::string_view line) { return line.starts_with("hit"); };
  auto start = tail->find_start(tail->facts()->size, 2, is_hit);
  REQUIRE(start);
  CHECK(start->offset == static_cast<std::int64_t>(6 + filler.size()));
  CHECK(tail->find_start(tail->facts()->size, 4, is_hit)->offset == 0);
}
