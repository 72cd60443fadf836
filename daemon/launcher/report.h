// Reporter: what clusterd-exec tells the daemon, over the socket it got as fd 0.
//
// Used by every step of the launcher; the format is launch_wire.h. A step that cannot go on calls give_up and
// does not return. That the daemon is gone is no reason to stop: the program is wanted whether it is told or
// not.
#pragma once

#include "daemon/launcher/launch_wire.h"

namespace clusterd::launcher {

class Reporter {
 public:
  explicit Reporter(int channel) : channel_(channel) {}

  int channel() const { return channel_; }
  void move_to(int channel) { channel_ = channel; }

  // True once the daemon's end holds the notification descriptor.
  bool takeover(int notify_fd) const;
  void takeover_unavailable(int error) const;

  [[noreturn]] void give_up(wire::Stage stage, int error, const char* subject = "",
                            wire::Fault fault = wire::Fault::plain, const char* detail = "") const;

 private:
  bool send(const wire::LaunchReport& report, int fd) const;

  int channel_;
};

}  // namespace clusterd::launcher
