#include "daemon/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "daemon/system/peer_user.h"
#include "daemon/system/process_identity.h"

namespace clusterd {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptPause{100};  // out of descriptors: give clients time to leave

}  // namespace

Server::Server(asio::io_context& io, const HomePaths& home, RequestHandler handler)
    : io_(io), path_(home.control_socket), folder_(home.home), handler_(std::move(handler)) {}

Result<std::unique_ptr<Server>> Server::open(asio::io_context& io, const HomeLock&, const HomePaths& home,
                                             RequestHandler handler) {
  std::unique_ptr<Server> server(new Server(io, home, std::move(handler)));
  if (auto listening = server->listen(); !listening) return fail(listening.error());
  auto watch = FileWatch::create(server->folder_);
  if (watch) {
    server->file_watch_.emplace(std::move(*watch));
    server->watcher_ =
        FdWatcher(io, server->file_watch_->fd(), [raw = server.get()] { raw->file_changed(); });
  } else {
    spdlog::warn("{}; a removed control socket will not be noticed", watch.error().message);
  }
  return server;
}

Result<> Server::listen() {
  std::error_code status_error;
  const fs::file_status status = fs::symlink_status(path_, status_error);
  if (fs::exists(status) && status.type() != fs::file_type::socket) {
    return fail(ErrorCode::conflict, path_ + " is in the way: it is not a socket; move it away");
  }
  std::error_code ignored;
  fs::remove(path_, ignored);
  auto acceptor = std::make_shared<Acceptor>(io_);
  boost::system::error_code error;
  acceptor->open({}, error);
  if (!error) acceptor->bind(path_, error);
  // Execute bits mean nothing on a socket; what umask 077 leaves of the rest is the owner's.
  if (!error) fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, ignored);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail(ErrorCode::failed, "cannot listen on " + path_ + ": " + error.message());
  acceptor_ = acceptor;
  asio::co_spawn(io_, [this, acceptor] { return accept_loop(acceptor); }, asio::detached);
  return {};
}

asio::awaitable<void> Server::accept_loop(std::shared_ptr<Acceptor> acceptor) {
  asio::steady_timer pause(io_);
  while (acceptor->is_open()) {
    auto [error, socket] = co_await acceptor->async_accept(kNoThrow);
    if (!error) {
      admit(std::move(socket));
    } else if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) {
      co_return;
    } else {
      spdlog::warn("cannot accept a client: {}", error.message());
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(kNoThrow);
    }
  }
}

void Server::admit(Session::Socket socket) {
  sessions_.remove_if([](const auto& one) { return one.expired() || !one.lock()->is_open(); });
  const auto user = peer_user(socket.native_handle());
  std::optional<Error> refusal;
  if (!user || (*user != own_uid() && *user != 0)) {
    refusal = Error{ErrorCode::denied, "this clusterd belongs to another user"};
  } else if (sessions_.size() >= kClientsMax) {
    refusal = Error{ErrorCode::failed, "too many clients are connected; try again"};
  }
  if (!refusal) {
    const auto session = std::make_shared<Session>(std::move(socket), handler_);
    sessions_.push_back(session);
    return session->start();
  }
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  const std::string line = to_frame(to_json(Response{0, *refusal, nlohmann::json::object()}));
  socket.write_some(asio::buffer(line), ignored);
}

void Server::file_changed() {
  file_watch_->drain();
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path_, ignored))) return;
  spdlog::warn("{} was removed by somebody; making it anew", path_);
  boost::system::error_code close_error;
  acceptor_->close(close_error);
  if (auto listening = listen(); !listening) spdlog::error("{}", listening.error().message);
}

bool Server::has_open_sessions() const {
  return std::ranges::any_of(sessions_, [](const auto& one) {
    const auto session = one.lock();
    return session && session->is_open();
  });
}

void Server::close() {
  if (!acceptor_) return;
  watcher_.stop();
  boost::system::error_code ignored;
  acceptor_->close(ignored);
  acceptor_.reset();
  std::error_code gone;
  fs::remove(path_, gone);
  for (const auto& one : sessions_) {
    if (const auto session = one.lock()) session->flush_and_close();
  }
}

}  // namespace clusterd
