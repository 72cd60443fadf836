#include "daemon/output_stream.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "daemon/clock.h"

namespace clusterd {
namespace {

// How long the stream has to be silent before an unfinished line is let go where lines are held back: a
// prompt shows up, and a program that is slow in the middle of a line is not torn.
constexpr Milliseconds kPartialLineWait{1'000};

}  // namespace

OutputStream::OutputStream(boost::asio::io_context& io, UniqueFd read_end, std::unique_ptr<LogTarget> target,
                           std::unique_ptr<OutputFilter> filter)
    : io_(io), pump_(std::move(read_end), std::move(target), std::move(filter)), flush_timer_(io) {}

void OutputStream::start(LogFeed& feed, const LogOrigin& origin) {
  tap_ = std::make_unique<LogFeed::Tap>(feed, pump_, origin);
  watcher_ = FdWatcher(io_, pump_.fd(), [this] { on_readable(); });
}

void OutputStream::on_readable() {
  // The callback below may drop the last owner.
  const auto self = shared_from_this();
  turn();
}

void OutputStream::turn() {
  if (std::exchange(flush_pending_, false)) flush_timer_.cancel();
  switch (pump_.pump(monotonic_now())) {
    case OutputPump::Status::more:
      break;  // the watcher calls again after the others had their turn
    case OutputPump::Status::drained:
      flush_soon();
      break;
    case OutputPump::Status::ended:
      end();
      break;
  }
}

void OutputStream::drain_now() {
  const auto self = shared_from_this();
  constexpr int kTurnsMax = 64;  // 16 MiB: more than any pipe holds; a grandchild may be printing on
  for (int turns = 0; turns < kTurnsMax && !ended_; ++turns) {
    const OutputPump::Status status = pump_.pump(monotonic_now());
    if (status == OutputPump::Status::ended) return end();
    if (status == OutputPump::Status::drained) return flush_soon();
  }
}

void OutputStream::flush_soon() {
  if (flush_pending_ || !pump_.holds_partial()) return;
  flush_pending_ = true;
  flush_timer_.expires_after(kPartialLineWait);
  flush_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    // One that was about to be called when it was cancelled comes without an error.
    if (error || !self || !std::exchange(self->flush_pending_, false)) return;
    self->pump_.flush_partial(monotonic_now());
    self->flush_soon();  // a filter may have more to say later
  });
}

void OutputStream::end() {
  if (ended_) return;
  ended_ = true;
  watcher_.stop();
  flush_timer_.cancel();
  boost::asio::post(io_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->on_end_) self->on_end_();
  });
}

}  // namespace clusterd
