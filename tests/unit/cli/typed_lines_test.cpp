// What is typed is cut into lines wherever the reads fall, and the end of the input ends the last one.
#include "cli/typed_lines.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string_view>

namespace clusterd::cli {
namespace {

struct Typing {
  int ends[2];
  Typing() { REQUIRE(pipe(ends) == 0); }
  ~Typing() {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  void type(std::string_view text) {
    REQUIRE(write(ends[1], text.data(), text.size()) == ssize_t(text.size()));
  }
  void end() {
    close(ends[1]);
    ends[1] = -1;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a line is there when its newline is, whole and without it") {
  Typing typing;
  TypedLines lines(typing.ends[0]);
  typing.type("one\ntwo\nthr");
  CHECK(lines.read() == Lines{"one", "two"});
  typing.type("ee\n\n");
  CHECK(lines.read() == Lines{"three", ""});
  CHECK_FALSE(lines.ended());
}

TEST_CASE("what was begun counts once the input has ended") {
  Typing typing;
  TypedLines lines(typing.ends[0]);
  typing.type("last");
  CHECK(lines.read().empty());
  typing.end();
  CHECK(lines.read() == Lines{"last"});
  CHECK(lines.ended());
  CHECK(lines.read().empty());
}

TEST_CASE("an input that cannot be read has ended") {
  TypedLines lines(-1);
  CHECK(lines.read().empty());
  CHECK(lines.ended());
}

}  // namespace clusterd::cli
