#include "cli/serve/http_server.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <memory>
#include <set>

namespace clusterd::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using beast::error_code;

constexpr std::size_t kChunk = 64 * 1024;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

class Session;

struct Shared {
  const Site& site;
  const Policy& policy;
  std::set<Session*> sessions;
  bool ends = false;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
    shared_.sessions.insert(this);
  }
  ~Session() { shared_.sessions.erase(this); }

  void read() {
    parser_.emplace();
    parser_->header_limit(kHeaderMax);
    idle_ = true;
    stream_.expires_after(kIdleLimit);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->have_read(error); });
  }

  // No answer is under way: nothing will be.
  void close_if_idle() {
    if (idle_) stream_.close();
  }

 private:
  void have_read(error_code error) {
    idle_ = false;
    if (error == http::error::end_of_stream || error == beast::error::timeout) return stream_.close();
    if (error && !stream_.socket().is_open()) return;
    const auto& message = parser_->get();
    if (error) {
      answer_ = {};
      answer_.status = error == http::error::header_limit ? 431 : 400;
      keep_alive_ = false;
    } else {
      const auto field = [&](http::field name) { return view_of(message[name]); };
      answer_ = answer_to(
          {view_of(message.method_string()), view_of(message.target()), field(http::field::authorization),
           field(http::field::range), field(http::field::if_range), field(http::field::if_none_match),
           field(http::field::if_modified_since)},
          shared_.site, shared_.policy);
      // What a client sends beside its header would be taken for the next request.
      keep_alive_ = message.keep_alive() && parser_->is_done();
    }
    send_header(message.method() == http::verb::head, error ? 11U : message.version());
  }

  void send_header(bool head_only, unsigned version) {
    response_ = {};
    response_.version(version);
    response_.result(answer_.status);
    response_.set(http::field::server, "clusterd");
    for (const auto& [name, value] : answer_.headers) response_.set(name, value);
    response_.keep_alive(keep_alive_ && !shared_.ends);
    if (answer_.status != 304) response_.content_length(answer_.length);
    if (head_only || answer_.status == 304) answer_.length = 0;
    serializer_.emplace(response_);
    stream_.expires_after(kIdleLimit);
    http::async_write_header(stream_, *serializer_,
                             [self = shared_from_this()](error_code error, std::size_t) {
                               if (!error) self->send_body();
                             });
  }

  void send_body() {
    if (answer_.length == 0) return end_answer();
    asio::const_buffer chunk(answer_.body.data(), answer_.body.size());
    if (answer_.file) {
      const std::size_t wanted = std::min<std::uint64_t>(answer_.length, chunk_.size());
      const ssize_t got =
          pread(answer_.file->get(), chunk_.data(), wanted, static_cast<off_t>(answer_.first));
      if (got <= 0) return stream_.close();  // it has become shorter: the client must notice
      chunk = asio::const_buffer(chunk_.data(), static_cast<std::size_t>(got));
    }
    answer_.first += chunk.size();
    answer_.length -= chunk.size();
    stream_.expires_after(kIdleLimit);
    asio::async_write(stream_, chunk, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->send_body();
    });
  }

  void end_answer() {
    if (response_.keep_alive()) return read();
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  beast::flat_buffer buffer_{kHeaderMax + kChunk};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::empty_body> response_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  Answer answer_;
  std::array<char, kChunk> chunk_;
  bool keep_alive_ = true;
  bool idle_ = true;
};

// Out of descriptors, for instance: it may be better in a moment, and must not spin until then.
constexpr std::chrono::milliseconds kAcceptPause{100};

class Accepting {
 public:
  Accepting(tcp::acceptor& acceptor, Shared& shared)
      : acceptor_(acceptor), shared_(shared), pause_(acceptor.get_executor()) {}

  void next() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (error) return wait();
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(std::move(socket), shared_)->read();
      next();
    });
  }
  void end() {
    acceptor_.close();
    pause_.cancel();
  }

 private:
  void wait() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code error) {
      if (!error && acceptor_.is_open()) next();
    });
  }

  tcp::acceptor& acceptor_;
  Shared& shared_;
  asio::steady_timer pause_;
};

Result<> listen_at(tcp::acceptor& acceptor, const ServerAddress& where) {
  error_code error;
  const auto address = asio::ip::make_address(where.host, error);
  if (error) return fail(ErrorCode::usage, "'" + where.host + "' is not an IP address");
  const tcp::endpoint endpoint(address, where.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  return fail(ErrorCode::failed, "cannot listen on " + where.host + " port " + std::to_string(where.port) +
                                     ": " + error.message());
}

}  // namespace

Result<> run_server(const ServerAddress& address, const Site& site, const Policy& policy,
                    const std::function<void()>& listening) {
  Shared shared{site, policy, {}};  // outlives the sessions, which the context may hold
  asio::io_context io(1);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  tcp::acceptor acceptor(io);
  if (auto ready = listen_at(acceptor, address); !ready) return ready;
  Accepting accepting(acceptor, shared);
  signals.async_wait([&](error_code, int) {
    shared.ends = true;
    accepting.end();
    const std::set<Session*> present = shared.sessions;
    for (Session* session : present) session->close_if_idle();
  });
  accepting.next();
  listening();
  io.run();
  return {};
}

}  // namespace clusterd::serve
