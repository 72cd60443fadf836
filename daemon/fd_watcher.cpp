#include "daemon/fd_watcher.h"

#include <boost/asio/posix/stream_descriptor.hpp>

namespace clusterd {

struct FdWatcher::Watch {
  boost::asio::posix::stream_descriptor descriptor;
  std::function<void()> on_readable;
  bool stopped = false;
  bool waits_for_room = false;
};

FdWatcher::FdWatcher(boost::asio::io_context& io, int fd, std::function<void()> on_readable)
    : watch_(std::make_shared<Watch>(boost::asio::posix::stream_descriptor(io, fd), std::move(on_readable))) {
  wait(watch_);
}

void FdWatcher::wait(const std::shared_ptr<Watch>& watch) {
  watch->descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                               [watch](const boost::system::error_code& error) {
                                 if (error || watch->stopped) return;
                                 watch->on_readable();
                                 if (!watch->stopped) wait(watch);
                               });
}

void FdWatcher::when_writable(std::function<void()> on_writable) {
  if (!watch_ || std::exchange(watch_->waits_for_room, true)) return;
  watch_->descriptor.async_wait(
      boost::asio::posix::stream_descriptor::wait_write,
      [watch = watch_, on_writable = std::move(on_writable)](const boost::system::error_code& error) {
        watch->waits_for_room = false;
        if (!error && !watch->stopped) on_writable();
      });
}

void FdWatcher::stop() {
  if (!watch_) return;
  watch_->stopped = true;
  watch_->descriptor.release();  // cancels the wait; the descriptor stays with its owner
  watch_.reset();
}

}  // namespace clusterd
