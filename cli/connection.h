// Connection: one blocking Unix stream socket to the daemon, line by line.
//
// Owned by Client. Only moves bytes: knows the length limit of a line but nothing of what it says. Errors are
// sentences with the path in them: nobody listens (no_daemon), no permission (denied, with the owner), peer
// gone (no_daemon), over-long line (protocol).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/frame.h"
#include "common/result.h"

namespace clusterd::cli {

class Connection {
 public:
  static Result<Connection> open(const std::string& socket_path);
  explicit Connection(int connected_fd);  // takes it over
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  Result<> send(std::string_view bytes);

  // What to watch while waiting for a line.
  struct Wait {
    std::optional<std::chrono::milliseconds> limit;  // absent: for ever
    int output_fd = -1;                              // stop when its reader is gone; -1: do not look
    int input_fd = -1;                               // come back when it can be read; -1: do not look
  };
  struct Received {
    enum class Kind { line, timed_out, output_gone, input };
    Kind kind = Kind::line;
    std::string line;
  };
  Result<Received> receive(const Wait& wait);

 private:
  Result<> read_some();

  int fd_;
  FrameReader reader_;
  bool input_turn_ = false;
};

}  // namespace clusterd::cli
