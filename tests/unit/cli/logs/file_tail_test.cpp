#include "cli/file_tail.h"

#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "temp_folder.h"

using namespace clusterd::cli;

namespace {

std::string tail_text(const std::string& path, int lines, std::int64_t end = -1) {
  auto tail = FileTail::open(path);
  REQUIRE(tail);
  if (end < 0) end = *tail->size_bytes();
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
  auto start = tail->find_start(*tail->size_bytes(), 15);
  REQUIRE(start);
  CHECK(start->cut);
  CHECK(*tail->size_bytes() - start->offset <= static_cast<std::int64_t>(kTailLineBytesMax) + 1);
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
