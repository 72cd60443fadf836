#include "common/frame.h"

#include <catch2/catch.hpp>
#include <string>

using namespace clusterd;

namespace {
std::string line_of(FrameReader& reader) {
  const Frame frame = reader.next();
  REQUIRE(frame.kind == Frame::Kind::line);
  return frame.line;
}
Frame::Kind kind_of(FrameReader& reader) { return reader.next().kind; }
}  // namespace

TEST_CASE("lines come out whole, however the bytes came in") {
  FrameReader reader;
  CHECK(kind_of(reader) == Frame::Kind::none);
  reader.feed("on");
  CHECK(kind_of(reader) == Frame::Kind::none);
  CHECK(reader.buffered_bytes() == 2);
  reader.feed("e\ntwo\n\nthr");
  CHECK(line_of(reader) == "one");
  CHECK(line_of(reader) == "two");
  CHECK(line_of(reader).empty());
  CHECK(kind_of(reader) == Frame::Kind::none);
  reader.feed("ee\n");
  CHECK(line_of(reader) == "three");
  CHECK(reader.buffered_bytes() == 0);
}

TEST_CASE("bytes of any value survive inside a line") {
  FrameReader reader;
  const std::string odd("\0\xff\r\t", 4);
  reader.feed(odd + "\n");
  CHECK(line_of(reader) == odd);
}

TEST_CASE("a line at the limit passes, one byte more ends the conversation") {
  FrameReader reader(8);
  reader.feed("12345678\n");
  CHECK(line_of(reader) == "12345678");
  reader.feed("123456789\nnext\n");
  CHECK(kind_of(reader) == Frame::Kind::too_long);
  CHECK(kind_of(reader) == Frame::Kind::too_long);
  reader.feed("later\n");
  CHECK(kind_of(reader) == Frame::Kind::too_long);
  CHECK(reader.buffered_bytes() == 0);
}

TEST_CASE("a line that never ends is refused as soon as it is too long") {
  FrameReader reader(8);
  reader.feed("12345678");
  CHECK(kind_of(reader) == Frame::Kind::none);
  reader.feed("9");
  CHECK(kind_of(reader) == Frame::Kind::too_long);
}

TEST_CASE("good lines before an overlong one are still delivered") {
  FrameReader reader(8);
  reader.feed("ok\n123456789");
  CHECK(line_of(reader) == "ok");
  CHECK(kind_of(reader) == Frame::Kind::too_long);
}

TEST_CASE("the largest line of the protocol passes in small pieces") {
  FrameReader reader;
  const std::string piece(65'536, 'x');
  for (std::size_t fed = 0; fed < kFrameBytesMax; fed += piece.size()) {
    reader.feed(piece);
    REQUIRE(kind_of(reader) == Frame::Kind::none);
  }
  reader.feed("\nshort\n");
  CHECK(line_of(reader).size() == kFrameBytesMax);
  CHECK(line_of(reader) == "short");
}
