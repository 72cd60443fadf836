#include "daemon/probe_run.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <vector>

#include "daemon/core/seconds_text.h"
#include "daemon/system/client_port.h"
#include "daemon/system/server_end.h"
#include "daemon/system/socket_address.h"

namespace clusterd {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr int kStatusMin = 200;
constexpr int kStatusEnd = 400;

constexpr Milliseconds kAcceptPoll{5};

// The first line alone makes those accept that wait for data; nothing is answered to it yet.
std::string request_line(const SocketProbe& probe) { return "GET " + probe.path + " HTTP/1.1\r\n"; }

std::string request_rest(const SocketProbe& probe) {
  return "Host: " + probe.host + "\r\nUser-Agent: clusterd-probe\r\nAccept: */*\r\nConnection: close\r\n\r\n";
}

// "HTTP/1.1 200 OK"; 0: no such line.
int status_of(std::string_view answer) {
  const std::size_t blank = answer.find(' ');
  if (!answer.starts_with("HTTP/") || blank == answer.npos) return 0;
  int status = 0;
  std::from_chars(answer.data() + blank + 1, answer.data() + answer.size(), status);
  return status;
}

// Kept alive by its pending operations; stop() makes them find nobody to tell.
class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(asio::io_context& io, SocketProbe probe, ProbeDone done)
      : io_(io), socket_(io), timer_(io), poll_(io), probe_(std::move(probe)), done_(std::move(done)) {}

  void refuse(const std::string& why) { finish({false, false, why}); }

  void start(Milliseconds timeout) {
    timer_.expires_after(timeout);
    timer_.async_wait([self = shared_from_this(), timeout](const error_code& error) {
      if (!error) self->finish({false, false, "did not answer within " + seconds_text(timeout)});
    });
    connect();
  }

  void stop() {
    done_ = nullptr;
    close();
  }

 private:
  void connect() {
    const auto where = to_socket_address(probe_.address);
    if (!where) return finish({false, false, where.error().message});
    error_code error;
    socket_.open(asio::generic::stream_protocol(where->storage.ss_family, 0), error);
    if (error) return finish({false, false, error.message()});
    directed_ = probe_.direct ? bind_any_port(socket_.native_handle()) : std::uint16_t{0};
    if (directed_ != 0) probe_.direct(directed_, true);
    const asio::generic::stream_protocol::endpoint endpoint(where->get(), where->length);
    socket_.async_connect(endpoint, [self = shared_from_this()](const error_code& failed) {
      self->end_direction();
      if (failed) return self->finish({false, false, failed.message()});
      if (self->probe_.path.empty()) return self->find_owner();
      self->send(request_line(self->probe_), [self] { self->find_owner(); });
    });
  }

  void end_direction() {
    if (const std::uint16_t port = std::exchange(directed_, std::uint16_t{0}); port != 0)
      probe_.direct(port, false);
  }

  void find_owner() {
    if (!done_) return;
    const auto inode = probe_.is_ours ? server_end_inode(socket_.native_handle()) : std::nullopt;
    if (!inode) return go_on();
    if (*inode == 0) {
      poll_.expires_after(kAcceptPoll);
      poll_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error) self->find_owner();
      });
      return;
    }
    if (probe_.is_ours(*inode)) return go_on();
    if (strangers_.size() + 1 >= kProbeTriesMax)
      return finish({false, true, "was not reached: other instances of the app took the connections"});
    // Left open meanwhile: whoever serves one connection at a time cannot take the next one, too.
    strangers_.push_back(std::exchange(socket_, asio::generic::stream_protocol::socket(io_)));
    connect();
  }

  void go_on() {
    if (probe_.path.empty()) return finish({true, false, {}});
    send(request_rest(probe_), [self = shared_from_this()] { self->hear(); });
  }

  void send(std::string text, std::function<void()> then) {
    request_ = std::move(text);
    asio::async_write(
        socket_, asio::buffer(request_),
        [self = shared_from_this(), then = std::move(then)](const error_code& error, std::size_t) {
          if (!error) return then();
          self->finish({false, false, "took the connection, not the request: " + error.message()});
        });
  }

  void hear() {
    socket_.async_read_some(
        asio::buffer(chunk_), [self = shared_from_this()](const error_code& error, std::size_t size) {
          self->answer_.append(self->chunk_.data(), size);
          const bool complete =
              self->answer_.find('\n') != std::string::npos || self->answer_.size() >= kProbeAnswerBytesMax;
          if (complete) return self->judge();
          if (error) return self->finish({false, false, "closed the connection without an answer"});
          self->hear();
        });
  }

  void judge() {
    const int status = status_of(answer_);
    if (status == 0) return finish({false, false, "did not answer in HTTP"});
    finish({status >= kStatusMin && status < kStatusEnd, false, "answered " + std::to_string(status)});
  }

  void finish(ProbeAnswer answer) {
    close();
    if (!done_) return;
    // Not from within: who is told may destroy the probe.
    asio::post(io_, [self = shared_from_this(), answer = std::move(answer)] {
      if (auto done = std::exchange(self->done_, nullptr)) done(answer);
    });
  }

  void close() {
    timer_.cancel();
    poll_.cancel();
    end_direction();
    error_code ignored;
    socket_.close(ignored);
    strangers_.clear();
  }

  asio::io_context& io_;
  asio::generic::stream_protocol::socket socket_;
  std::vector<asio::generic::stream_protocol::socket> strangers_;  // accepted by other instances
  asio::steady_timer timer_;
  asio::steady_timer poll_;
  SocketProbe probe_;
  ProbeDone done_;
  std::string request_;
  std::array<char, 512> chunk_{};
  std::string answer_;
  std::uint16_t directed_ = 0;  // port of a connection that the balancer was told of
};

class SocketProbeRun final : public ProbeRun {
 public:
  explicit SocketProbeRun(std::shared_ptr<Conversation> conversation)
      : conversation_(std::move(conversation)) {}
  ~SocketProbeRun() override { conversation_->stop(); }

 private:
  std::shared_ptr<Conversation> conversation_;
};

}  // namespace

std::unique_ptr<ProbeRun> start_socket_probe(asio::io_context& io, const SocketProbe& probe,
                                             Milliseconds timeout, ProbeDone done) {
  auto conversation = std::make_shared<Conversation>(io, probe, std::move(done));
  conversation->start(timeout);
  return std::make_unique<SocketProbeRun>(std::move(conversation));
}

std::unique_ptr<ProbeRun> refuse_probe(asio::io_context& io, const std::string& why, ProbeDone done) {
  auto conversation = std::make_shared<Conversation>(io, SocketProbe{}, std::move(done));
  conversation->refuse(why);
  return std::make_unique<SocketProbeRun>(std::move(conversation));
}

}  // namespace clusterd
