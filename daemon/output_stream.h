// OutputStream: one output stream of one life of an instance, driven by the event loop until its end of file.
//
// Owned by ProcessHost, first as part of the process, then on its own until the pipe is empty: the end of the
// stream is the end of file, not the exit. The end handler is called once, from the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "daemon/fd_watcher.h"
#include "daemon/log_feed.h"
#include "daemon/system/output_pump.h"

namespace clusterd {

class OutputStream : public std::enable_shared_from_this<OutputStream> {
 public:
  OutputStream(boost::asio::io_context& io, UniqueFd read_end, std::unique_ptr<LogTarget> target,
               std::unique_ptr<OutputFilter> filter);
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  void start(LogFeed& feed, const LogOrigin& origin);
  void on_end(std::function<void()> handler) { on_end_ = std::move(handler); }
  void drain_now();  // takes what is in the pipe, without waiting for the loop
  bool ended() const { return ended_; }
  std::string tail() const { return pump_.tail(); }

 private:
  void on_readable();
  void turn();
  void end();
  void flush_soon();

  boost::asio::io_context& io_;
  OutputPump pump_;
  std::unique_ptr<LogFeed::Tap> tap_;
  FdWatcher watcher_;
  boost::asio::steady_timer flush_timer_;
  bool flush_pending_ = false;
  bool ended_ = false;
  std::function<void()> on_end_;
};

}  // namespace clusterd
