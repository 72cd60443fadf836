// LogTarget: where the output of one stream of one life of an instance is kept.
//
// The OutputPump delivers to it, whatever it is: files (FileTarget), nothing (NullTarget), several at once
// (TeeTarget). The glue in daemon/log_targets makes the one an app asks for. A target belongs to one stream
// and lives as long as its pump.
//
// A target never waits: it takes what it can at once, and drops and counts the rest. It says what is wrong
// with it once, and once when it is well again. Bytes are as the app printed them, or as its filter made
// them.
#pragma once

#include <string_view>

#include "daemon/system/monotonic_time.h"

namespace clusterd {

class LogTarget {
 public:
  LogTarget() = default;
  virtual ~LogTarget() = default;
  LogTarget(const LogTarget&) = delete;
  LogTarget& operator=(const LogTarget&) = delete;

  // In the order of the stream; `bytes` is never empty and is valid during the call only. If the target wants
  // whole lines it ends with a newline, except for a line that is very long, unfinished for a while, or the
  // last.
  virtual void write(std::string_view bytes, MonotonicTime now) = 0;

  // Asked before each chunk: the answer may change while others come and go.
  virtual bool wants_whole_lines() const = 0;
};

// Output is read, shown to those who follow, and forgotten.
class NullTarget final : public LogTarget {
 public:
  void write(std::string_view, MonotonicTime) override {}
  bool wants_whole_lines() const override { return false; }
};

}  // namespace clusterd
