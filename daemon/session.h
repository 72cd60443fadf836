// Session: one client on the control socket: greeting, requests in, events and responses out.
//
// Problem: a client may send anything, never read, or vanish in the middle of a rollout. Idea: reading and
// writing are two loops. Requests are handed to the operations and may be answered much later, many at once;
// whatever is to be sent goes into an outbox that the write loop empties. Responses and progress are small
// and always kept; output of apps is only offered, and refused while more than kOutboxBytesMax wait. A client
// that does not even read its responses is cut off at kOutboxBytesHard, so no client can make the daemon
// grow.
//
// Limits: frames of kFrameBytesMax, kRequestsInFlightMax unanswered requests. Made by Server; lives as long
// as its loops or an unanswered request.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/message.h"
#include "daemon/conversation.h"

namespace clusterd {

inline constexpr std::size_t kOutboxBytesMax = 1024 * 1024;
inline constexpr std::size_t kOutboxBytesHard = 64 * 1024 * 1024;
inline constexpr int kRequestsInFlightMax = 256;

using RequestHandler = std::function<void(const Request&, const Reply&)>;

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;

  Session(Socket socket, RequestHandler handler);
  void start();
  void close();
  bool is_open() const { return open_; }
  void flush_and_close();  // ends once what is in the outbox has been sent

 private:
  class Exchange;
  friend class Exchange;

  boost::asio::awaitable<void> read_loop();
  boost::asio::awaitable<void> write_loop();
  bool handle(const std::string& line);
  boost::asio::awaitable<void> half_close();
  void refuse(std::int64_t id, const Error& error);
  void send(std::string frame);
  void tell_of_room();
  bool has_room() const { return outbox_bytes_ < kOutboxBytesMax; }

  Socket socket_;
  RequestHandler handler_;
  std::deque<std::string> outbox_;
  std::size_t outbox_bytes_ = 0;
  boost::asio::steady_timer wake_;  // used as a condition variable of the write loop
  int in_flight_ = 0;
  bool open_ = true;
  bool closing_ = false;
  bool half_closed_ = false;
  std::vector<std::function<void()>> close_handlers_;
  std::vector<std::function<void()>> room_handlers_;
};

}  // namespace clusterd
