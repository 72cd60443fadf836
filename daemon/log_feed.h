// LogFeed: fans the output of instances out to the clients that follow it.
//
// One per daemon. Each stream of each instance has a tap, which is an OutputSink only while somebody follows,
// so that output nobody watches costs nothing. Followers must bound what they keep: they are never waited
// for. Single-threaded; used by ProcessHost (taps) and by the `logs` operation (followers).
#pragma once

#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "daemon/log_origin.h"
#include "daemon/system/output_pump.h"

namespace clusterd {

class LogFollower {
 public:
  virtual ~LogFollower() = default;
  virtual bool wants(const LogOrigin& origin) const = 0;
  virtual void output(const LogOrigin& origin, std::string_view text) = 0;
};

class LogFeed {
 public:
  // One stream of one life of an instance; lives as long as its pump.
  class Tap final : public OutputSink {
   public:
    Tap(LogFeed& feed, OutputPump& pump, LogOrigin origin);
    ~Tap() override;
    Tap(const Tap&) = delete;
    Tap& operator=(const Tap&) = delete;

    void output(std::string_view chunk) override;
    void refresh();  // followers came or went

   private:
    LogFeed& feed_;
    OutputPump& pump_;
    LogOrigin origin_;
  };

  void add(std::shared_ptr<LogFollower> follower);
  void remove(const LogFollower* follower);

 private:
  void refresh();

  std::set<Tap*> taps_;
  std::list<std::shared_ptr<LogFollower>> followers_;
};

}  // namespace clusterd
