#include "cli/prove/http_response.h"

#include <catch2/catch.hpp>

#include "tests/fuzz/http_response_target.h"
#include "tests/unit/corpus.h"

using namespace clusterd::cli;
using State = ResponseParser::State;

namespace {

// The same bytes whole and one by one have to mean the same.
ResponseParser parse(const std::string& text, ResponseParser::Body body = ResponseParser::Body::expected) {
  ResponseParser whole(body), in_pieces(body);
  whole.feed(text);
  for (char byte : text) in_pieces.feed({&byte, 1});
  CHECK(whole.state() == in_pieces.state());
  CHECK(whole.status() == in_pieces.status());
  CHECK(whole.keeps_connection() == in_pieces.keeps_connection());
  CHECK(whole.bytes() == text.size());
  return whole;
}

const std::string kHead = "HTTP/1.1 200 OK\r\n";

}  // namespace

TEST_CASE("a body of a known length ends there, and not before") {
  auto whole = parse(kHead + "Content-Length: 5\r\n\r\nhello");
  CHECK(whole.state() == State::complete);
  CHECK(whole.status() == 200);
  CHECK(whole.keeps_connection());
  auto cut = parse(kHead + "Content-Length: 5\r\n\r\nhell");
  CHECK(cut.state() == State::incomplete);
  CHECK(cut.finish() == State::incomplete);
  CHECK(parse(kHead + "content-length:  0 \r\n\r\n").state() == State::complete);
}

TEST_CASE("a chunked body ends with its last chunk and the trailers") {
  const std::string head = kHead + "Transfer-Encoding: chunked\r\n\r\n";
  CHECK(parse(head + "5\r\nhello\r\n0\r\n\r\n").state() == State::complete);
  CHECK(parse(head + "A;x=y\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n").state() == State::complete);
  for (const char* cut : {"", "5\r\n", "5\r\nhel", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n"}) {
    INFO(cut);
    auto parser = parse(head + cut);
    CHECK(parser.finish() == State::incomplete);
  }
  CHECK(parse(head + "5\r\nhelloX\r\n").state() == State::malformed);
  CHECK(parse(head + "zz\r\n").state() == State::malformed);
}

TEST_CASE("chunked goes before a length, and another coding lasts until the connection closes") {
  CHECK(parse(kHead + "Content-Length: 1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n").state() ==
        State::complete);
  auto gzip = parse(kHead + "Content-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\nabc");
  CHECK(gzip.state() == State::incomplete);
  CHECK(gzip.finish() == State::complete);
}

TEST_CASE("without a length the body lasts until the connection closes") {
  auto parser = parse(kHead + "\r\nsome text");
  CHECK(parser.state() == State::incomplete);
  CHECK(parser.finish() == State::complete);
  CHECK_FALSE(parser.keeps_connection());
}

TEST_CASE("a head that was cut is never complete") {
  for (const std::string& cut : {std::string("HTTP/1.1 2"), kHead, kHead + "Content-Length: 0\r\n"}) {
    auto parser = parse(cut);
    CHECK(parser.finish() == State::incomplete);
  }
}

TEST_CASE("some answers have no body") {
  CHECK(parse("HTTP/1.1 204 No Content\r\n\r\n").state() == State::complete);
  CHECK(parse("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n").state() == State::complete);
  CHECK(parse(kHead + "Content-Length: 9\r\n\r\n", ResponseParser::Body::none).state() == State::complete);
}

TEST_CASE("interim answers are skipped") {
  auto parser = parse("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + kHead + "Content-Length: 1\r\n\r\na");
  CHECK(parser.state() == State::complete);
  CHECK(parser.status() == 200);
  CHECK(parse("HTTP/1.1 100 Continue\r\n\r\n").state() == State::incomplete);
}

TEST_CASE("whether the connection stays") {
  CHECK_FALSE(parse(kHead + "Content-Length: 0\r\nConnection: close\r\n\r\n").keeps_connection());
  CHECK_FALSE(parse("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").keeps_connection());
  CHECK(parse("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n").keeps_connection());
  CHECK_FALSE(parse(kHead + "Content-Length: 0\r\n\r\nmore").keeps_connection());
}

TEST_CASE("what is not HTTP is malformed, and so is what has no end") {
  CHECK(parse("SSH-2.0-OpenSSH_9.2\r\n").state() == State::malformed);
  CHECK(parse("HTTP/2 200\r\n").state() == State::malformed);
  CHECK(parse("HTTP/1.1 20x OK\r\n").state() == State::malformed);
  CHECK(parse(kHead + "no colon\r\n").state() == State::malformed);
  CHECK(parse(kHead + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n").state() == State::malformed);
  CHECK(parse(kHead + "Content-Length: -1\r\n\r\n").state() == State::malformed);
  CHECK(parse(kHead + "A: " + std::string(kResponseHeadBytesMax, 'a')).state() == State::malformed);
  std::string many = kHead;
  while (many.size() <= kResponseHeadBytesMax) many += "A: b\r\n";
  CHECK(parse(many).state() == State::malformed);
}

TEST_CASE("the fuzzing corpus of responses holds") {
  const auto corpus = clusterd::read_corpus("http_response");
  REQUIRE(corpus.size() >= 9);
  for (const auto& [name, bytes] : corpus) {
    INFO(name);
    CHECK(clusterd::fuzz_http_response(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) ==
          0);
  }
}
