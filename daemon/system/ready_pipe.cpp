#include "daemon/system/ready_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "daemon/system/pipe.h"
#include "daemon/system/system_error.h"

namespace clusterd {

Result<ReadyPipe> ReadyPipe::create() {
  auto pipe = open_pipe();
  if (!pipe) return fail(pipe.error());
  // The end of the app stays blocking: the flag belongs to the end, not to the pipe.
  if (fcntl(pipe->read_end.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_error("cannot prepare a readiness descriptor", errno);
  ReadyPipe result;
  result.read_end_ = std::move(pipe->read_end);
  result.write_end_ = std::move(pipe->write_end);
  return result;
}

ReadyPipe::State ReadyPipe::read() {
  std::array<char, 512> bytes;
  while (heard_ < kReadyBytesMax) {
    const ssize_t size = ::read(read_end_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN ? State::waiting : State::ended;
    if (size == 0) return State::ended;
    const std::string_view text(bytes.data(), static_cast<std::size_t>(size));
    if (text.find('\n') != text.npos) return State::ready;
    heard_ += text.size();
  }
  return State::ended;
}

}  // namespace clusterd
