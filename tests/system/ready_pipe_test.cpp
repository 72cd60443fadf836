// The readiness descriptor: a line is readiness, nothing else is.
#include "daemon/system/ready_pipe.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace clusterd::test {
namespace {

ReadyPipe created() {
  auto pipe = ReadyPipe::create();
  if (!pipe) FAIL(pipe.error().message);
  return std::move(*pipe);
}

void write_text(const ReadyPipe& pipe, const std::string& text) {
  REQUIRE(write(pipe.write_fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

TEST_CASE("the end of a line is readiness, whatever stands before it") {
  ReadyPipe pipe = created();
  CHECK(pipe.read() == ReadyPipe::State::waiting);
  write_text(pipe, "almost");
  CHECK(pipe.read() == ReadyPipe::State::waiting);
  write_text(pipe, "\n");
  CHECK(pipe.read() == ReadyPipe::State::ready);
}

TEST_CASE("an end without a line is none, and neither is too much without one") {
  ReadyPipe closed = created();
  write_text(closed, "ready");
  closed.close_write_end();
  CHECK(closed.read() == ReadyPipe::State::ended);
  ReadyPipe noisy = created();
  write_text(noisy, std::string(kReadyBytesMax, 'x'));
  CHECK(noisy.read() == ReadyPipe::State::ended);
}

}  // namespace
}  // namespace clusterd::test
