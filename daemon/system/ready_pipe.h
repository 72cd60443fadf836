// ReadyPipe: the readiness descriptor of an instance, as s6 and dinit have it.
//
// The app gets the write end, writes a line when it is ready, and may close it. What stands before the end of
// the line means nothing; an end without one is not readiness. Owned by HostedProcess, one a life. Source:
// the documentation of s6, "Service startup notifications".
#pragma once

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr std::size_t kReadyBytesMax =
    4096;  // before the end of the line; then nobody listens any more

class ReadyPipe {
 public:
  enum class State { waiting, ready, ended };

  static Result<ReadyPipe> create();

  int fd() const { return read_end_.get(); }
  // For the launcher; closed here once the launch has been given away.
  int write_fd() const { return write_end_.get(); }
  void close_write_end() { write_end_.reset(); }

  // Non-blocking. After `ready` or `ended` the descriptor needs no further attention.
  State read();

 private:
  UniqueFd read_end_;
  UniqueFd write_end_;
  std::size_t heard_ = 0;
};

}  // namespace clusterd
