// FdWatcher: calls a function whenever a descriptor is readable, until it is destroyed.
//
// Glue between the passive objects of daemon/system, which own their descriptors, and the event loop. It
// never owns or closes the descriptor; destroy the watcher before the descriptor is closed. The callback may
// destroy its own watcher. Destroying it inside or outside the loop is safe; no call comes afterwards.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

namespace clusterd {

class FdWatcher {
 public:
  FdWatcher() = default;
  FdWatcher(boost::asio::io_context& io, int fd, std::function<void()> on_readable);
  ~FdWatcher() { stop(); }
  FdWatcher(FdWatcher&&) = default;
  FdWatcher& operator=(FdWatcher&& other) noexcept {
    stop();
    watch_ = std::move(other.watch_);
    return *this;
  }

  // Calls once, as soon as the descriptor can be written; a second wish replaces nothing while one waits.
  void when_writable(std::function<void()> on_writable);

  void stop();
  explicit operator bool() const { return watch_ != nullptr; }

 private:
  struct Watch;
  static void wait(const std::shared_ptr<Watch>& watch);

  std::shared_ptr<Watch> watch_;
};

}  // namespace clusterd
