// Server: the control socket. Accepts clients that are the daemon's own user or root, at most kClientsMax at
// once.
//
// Owned by main; hands each connection to a Session. Errors at start-up are sentences; afterwards a client
// that is refused is told why and the daemon goes on. The socket file is mode 0600 from the first moment,
// because the daemon's umask is 077, and is made anew if somebody removes it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "common/home_paths.h"
#include "daemon/fd_watcher.h"
#include "daemon/session.h"
#include "daemon/system/file_watch.h"
#include "daemon/system/lock_file.h"

namespace clusterd {

inline constexpr std::size_t kClientsMax = 512;

class Server {
 public:
  // Holding the lock is what allows to replace a socket file that an earlier daemon left behind.
  static Result<std::unique_ptr<Server>> open(boost::asio::io_context& io, const HomeLock& lock,
                                              const HomePaths& home, RequestHandler handler);
  ~Server() { close(); }

  // Stops accepting, removes the file; sessions send what is still to be sent and close.
  void close();
  bool has_open_sessions() const;

 private:
  using Acceptor = boost::asio::local::stream_protocol::acceptor;

  Server(boost::asio::io_context& io, const HomePaths& home, RequestHandler handler);
  Result<> listen();
  boost::asio::awaitable<void> accept_loop(std::shared_ptr<Acceptor> acceptor);
  void admit(Session::Socket socket);
  void file_changed();

  boost::asio::io_context& io_;
  std::string path_;
  std::string folder_;
  RequestHandler handler_;
  std::shared_ptr<Acceptor> acceptor_;
  std::optional<FileWatch> file_watch_;
  FdWatcher watcher_;
  std::list<std::weak_ptr<Session>> sessions_;
};

}  // namespace clusterd
