// LaunchChannel: what clusterd-exec tells while it turns into an app.
//
// One per launch, owned by the supervisor's instance, read when fd() is readable. At most two reports come
// (takeover, failure), then end of file: the socket is close-on-exec, so end of file without a failure means
// that the program runs. Composes the sentence for people from what the launcher found out. Never blocks. If
// the launcher is killed before it could exec, end of file comes too; the reaper has the truth then.
#pragma once

#include <string>

#include "daemon/system/unique_fd.h"

namespace clusterd {

struct LaunchFailure {
  std::string stage;     // "exec", "cwd", "user" ...: the words of daemon/launcher/launch_wire.h
  int error = 0;         // errno of the call that failed
  std::string sentence;  // "./server: permission denied: not executable, chmod +x?"
};

class LaunchChannel {
 public:
  enum class State { waiting, executed, failed };

  explicit LaunchChannel(UniqueFd channel);

  int fd() const { return channel_.get(); }

  // Takes everything that has arrived. After `executed` or `failed` the fd needs no further attention; both
  // are final.
  State read();
  State state() const { return state_; }

  // For BindTakeover; empty if none came (yet), or if it was taken. It arrives before the program runs, so at
  // `executed` the answer is final.
  UniqueFd take_takeover_fd() { return std::move(takeover_); }

  // errno of a takeover that was asked for and is not available here (EBUSY: a sandbox around us already
  // listens); 0 otherwise. The launch goes on without it.
  int takeover_error() const { return takeover_error_; }

  // Meaningful in state `failed`.
  const LaunchFailure& failure() const { return failure_; }

 private:
  bool receive_report();

  UniqueFd channel_;
  UniqueFd takeover_;
  int takeover_error_ = 0;
  State state_ = State::waiting;
  LaunchFailure failure_;
};

}  // namespace clusterd
