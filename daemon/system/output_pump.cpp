#include "daemon/system/output_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace clusterd {
namespace {

// Streams that print long lines in bursts would each keep kHeldLineBytesMax for ever.
constexpr std::size_t kIdleHeldCapacityMax = 4 * 1024;

}  // namespace

OutputPump::OutputPump(UniqueFd read_end, std::unique_ptr<LogTarget> target,
                       std::unique_ptr<OutputFilter> filter)
    : read_end_(std::move(read_end)), target_(std::move(target)), filter_(std::move(filter)) {
  const int flags = ::fcntl(read_end_.get(), F_GETFL);
  ::fcntl(read_end_.get(), F_SETFL, flags | O_NONBLOCK);
}

OutputPump::~OutputPump() {
  sink_ = nullptr;
  finish(pumped_at_);
}

OutputPump::Status OutputPump::pump(MonotonicTime now) {
  pumped_at_ = now;
  char buffer[kReadBytesMax];
  std::size_t moved = 0;
  while (moved < kPumpBytesMax) {
    const ssize_t count = ::read(read_end_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return Status::drained;
    if (count <= 0) {
      finish(now);
      return Status::ended;
    }
    const auto bytes = static_cast<std::size_t>(count);
    moved += bytes;
    accept({buffer, bytes}, now);
    if (bytes == sizeof buffer) widen_pipe_once();
  }
  return Status::more;
}

void OutputPump::finish(MonotonicTime now) {
  if (filter_) return deliver(filter_->finish(now), now);
  flush_partial(now);
}

void OutputPump::flush_partial(MonotonicTime now) {
  if (filter_) return deliver(filter_->release(now), now);
  if (held_.empty()) return;
  deliver(held_, now);
  held_.clear();
  if (held_.capacity() > kIdleHeldCapacityMax) held_.shrink_to_fit();
}

void OutputPump::accept(std::string_view chunk, MonotonicTime now) {
  tail_.append(chunk);
  if (filter_) return deliver(filter_->pass(chunk, now), now);
  if (!holds_back_lines()) {
    flush_partial(now);
    return deliver(chunk, now);
  }
  if (!held_.empty()) chunk = complete_held_line(chunk, now);
  const std::size_t whole_lines = chunk.rfind('\n') + 1;  // npos + 1 is 0: no whole line
  deliver(chunk.substr(0, whole_lines), now);
  hold(chunk.substr(whole_lines), now);
}

// Takes what belongs to the held line and returns what comes after it.
std::string_view OutputPump::complete_held_line(std::string_view chunk, MonotonicTime now) {
  const std::size_t newline = chunk.find('\n');
  if (newline == std::string_view::npos) {
    hold(chunk, now);
    return {};
  }
  held_.append(chunk.substr(0, newline + 1));
  flush_partial(now);
  return chunk.substr(newline + 1);
}

void OutputPump::hold(std::string_view bytes, MonotonicTime now) {
  held_.append(bytes);
  if (held_.size() >= kHeldLineBytesMax) flush_partial(now);
}

void OutputPump::deliver(std::string_view bytes, MonotonicTime now) {
  if (bytes.empty()) return;
  target_->write(bytes, now);
  if (sink_ != nullptr) sink_->output(bytes);
}

// Only for streams that filled the default once: the kernel accounts pipe sizes per user, and hundreds of
// idle streams must not use up what the user's other programs need. Refusal does no harm.
void OutputPump::widen_pipe_once() {
  if (pipe_widened_) return;
  pipe_widened_ = true;
  ::fcntl(read_end_.get(), F_SETPIPE_SZ, kBusyPipeBytes);
}

}  // namespace clusterd
