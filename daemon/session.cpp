#include "daemon/session.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include "common/frame.h"
#include "common/json_text.h"
#include "common/version.h"
#include "daemon/system/process_identity.h"

namespace clusterd {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

}  // namespace

// One request of this session. Keeps the session's memory, not its connection, alive.
class Session::Exchange final : public Conversation {
 public:
  Exchange(std::shared_ptr<Session> session, std::int64_t id) : session_(std::move(session)), id_(id) {
    ++session_->in_flight_;
  }
  ~Exchange() override {
    // An operation that forgot to answer would hang its client for ever.
    if (!answered_) fail_with({ErrorCode::failed, "the daemon dropped the request"}, json::object());
  }

  void event(std::string_view name, json fields) override {
    if (!answered_) session_->send(to_frame(to_json(Event{id_, std::string(name), std::move(fields)})));
  }
  void succeed(json result) override { answer({id_, std::nullopt, std::move(result)}); }
  void fail_with(const Error& error, json result) override { answer({id_, error, std::move(result)}); }
  bool offer(std::string_view name, json fields) override {
    if (!session_->has_room()) return false;
    event(name, std::move(fields));
    return true;
  }
  void on_room(std::function<void()> handler) override {
    session_->room_handlers_.push_back(std::move(handler));
  }
  bool open() const override { return session_->is_open(); }
  void on_close(std::function<void()> handler) override {
    if (!session_->is_open()) return handler();
    session_->close_handlers_.push_back(std::move(handler));
  }

 private:
  void answer(Response response) {
    if (std::exchange(answered_, true)) return;
    --session_->in_flight_;
    session_->send(to_frame(to_json(response)));
    if (session_->half_closed_ && session_->in_flight_ == 0) session_->flush_and_close();
  }

  std::shared_ptr<Session> session_;
  std::int64_t id_;
  bool answered_ = false;
};

Session::Session(Socket socket, RequestHandler handler)
    : socket_(std::move(socket)), handler_(std::move(handler)), wake_(socket_.get_executor()) {
  wake_.expires_at(asio::steady_timer::time_point::max());
}

void Session::start() {
  send(to_frame(to_json(Greeting{kVersion, kProtocolVersion, own_pid()})));
  asio::co_spawn(
      socket_.get_executor(), [self = shared_from_this()] { return self->read_loop(); }, asio::detached);
  asio::co_spawn(
      socket_.get_executor(), [self = shared_from_this()] { return self->write_loop(); }, asio::detached);
}

asio::awaitable<void> Session::read_loop() {
  FrameReader frames;
  std::string buffer(64 * 1024, '\0');
  while (open_ && !closing_) {
    const auto [error, size] = co_await socket_.async_read_some(asio::buffer(buffer), kNoThrow);
    if (error == asio::error::eof && (in_flight_ > 0 || !outbox_.empty())) {
      co_await half_close();
      co_return;
    }
    if (error || closing_) break;
    frames.feed(std::string_view(buffer).substr(0, size));
    for (Frame frame = frames.next(); frame.kind != Frame::Kind::none; frame = frames.next()) {
      if (frame.kind == Frame::Kind::too_long) {
        refuse(0,
               {ErrorCode::protocol, "a line is longer than " + std::to_string(kFrameBytesMax) + " bytes"});
        co_return flush_and_close();
      }
      if (!handle(frame.line)) co_return flush_and_close();
    }
  }
  if (!closing_) close();
}

bool Session::handle(const std::string& line) {
  const auto request = parse_request(line);
  if (!request) {
    refuse(request_id_of(line), request.error());
    return false;
  }
  if (in_flight_ >= kRequestsInFlightMax) {
    refuse(request->id, {ErrorCode::protocol, "too many unanswered requests on one connection"});
    return true;
  }
  handler_(*request, std::make_shared<Exchange>(shared_from_this(), request->id));
  return true;
}

void Session::refuse(std::int64_t id, const Error& error) {
  send(to_frame(to_json(Response{id, error, json::object()})));
}

void Session::send(std::string frame) {
  if (!open_) return;
  outbox_bytes_ += frame.size();
  outbox_.push_back(std::move(frame));
  if (outbox_bytes_ > kOutboxBytesHard) return close();
  wake_.cancel();
}

asio::awaitable<void> Session::write_loop() {
  while (open_) {
    if (outbox_.empty()) {
      if (closing_) break;
      co_await wake_.async_wait(kNoThrow);
      continue;
    }
    const std::string frame = std::move(outbox_.front());
    outbox_.pop_front();
    const auto [error, size] = co_await asio::async_write(socket_, asio::buffer(frame), kNoThrow);
    outbox_bytes_ -= frame.size();
    if (error) break;
    tell_of_room();
  }
  close();
}

void Session::tell_of_room() {
  if (room_handlers_.empty() || !has_room()) return;
  for (auto& handler : std::exchange(room_handlers_, {})) handler();
}

// The client has said all it wants to say and may still listen (`nc -N`, socat): it gets its answers. One
// that has gone altogether shows as a hang-up.
asio::awaitable<void> Session::half_close() {
  half_closed_ = true;
  if (in_flight_ == 0) {
    flush_and_close();
    co_return;
  }
  co_await socket_.async_wait(Socket::wait_error, kNoThrow);
  close();
}

void Session::flush_and_close() {
  closing_ = true;
  wake_.cancel();
}

void Session::close() {
  if (!std::exchange(open_, false)) return;
  boost::system::error_code ignored;
  socket_.close(ignored);
  wake_.cancel();
  room_handlers_.clear();
  for (auto& handler : std::exchange(close_handlers_, {})) handler();
}

}  // namespace clusterd
