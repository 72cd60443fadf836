// OutputPump: carries one stream (stdout or stderr) of one instance from its pipe to its LogTarget and
// followers.
//
// The problem: apps print whenever they like, as much as they like, in any bytes; several instances may share
// one file; people follow the output live; and an app must never wait for any of it longer than the daemon
// needs to come around. The idea: the pump is passive. The event loop calls pump() when fd() is readable;
// each call moves at most kPumpBytesMax, so that one shouting instance cannot starve the rest, and says what
// to do next.
//
// Lines: with a file to itself and nobody following, bytes go straight through. While the target wants whole
// lines (a file has other writers) or somebody follows, the bytes after the last newline are held back until
// the line is complete, so that lines of different instances never mix and followers get whole lines. A held
// line is let go when it exceeds kHeldLineBytesMax, at the end of the stream, and when flush_partial() is
// called: the event loop does that some tenths of a second after holds_partial() became true, so a prompt
// shows up without a newline.
//
// A filter, if the app wants stamps or a limit, holds lines itself; then its answers are what is delivered.
//
// Limits: memory is kHeldLineBytesMax plus one read plus the tail, whatever the app prints. Bytes are never
// decoded: NULs and broken UTF-8 arrive as they were printed. The pump never waits and never reads a clock.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/system/log_target.h"
#include "daemon/system/monotonic_time.h"
#include "daemon/system/output_filter.h"
#include "daemon/system/output_tail.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr std::size_t kReadBytesMax = 64 * 1024;      // one read, on the stack
inline constexpr std::size_t kPumpBytesMax = 256 * 1024;     // one call of pump()
inline constexpr std::size_t kHeldLineBytesMax = 64 * 1024;  // an unfinished line
inline constexpr int kBusyPipeBytes = 256 * 1024;  // pipe capacity of a stream that filled the default

// Live followers of one stream; the glue fans out to them and bounds what each may keep.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  // Exactly the bytes that go to the log, in that order; valid during the call only.
  virtual void output(std::string_view chunk) = 0;
};

class OutputPump {
 public:
  enum class Status {
    more,     // stopped at kPumpBytesMax: call again soon, others first
    drained,  // the pipe is empty: wait until fd() is readable
    ended,    // every write end is closed and all bytes are delivered: drop the pump
  };

  // `read_end` is made non-blocking here.
  OutputPump(UniqueFd read_end, std::unique_ptr<LogTarget> target,
             std::unique_ptr<OutputFilter> filter = nullptr);  // null: bytes pass as they are
  ~OutputPump();                                               // a held line still goes to the log
  OutputPump(const OutputPump&) = delete;
  OutputPump& operator=(const OutputPump&) = delete;

  int fd() const { return read_end_.get(); }
  Status pump(MonotonicTime now);

  // Null: nobody follows. The sink must outlive the pump or be taken away before.
  void set_sink(OutputSink* sink) { sink_ = sink; }

  bool holds_partial() const { return filter_ ? filter_->holds() : !held_.empty(); }
  void flush_partial(MonotonicTime now);

  std::string tail() const { return tail_.text(); }

 private:
  bool holds_back_lines() const { return sink_ != nullptr || target_->wants_whole_lines(); }
  void accept(std::string_view chunk, MonotonicTime now);
  std::string_view complete_held_line(std::string_view chunk, MonotonicTime now);
  void hold(std::string_view bytes, MonotonicTime now);
  void deliver(std::string_view bytes, MonotonicTime now);
  void finish(MonotonicTime now);
  void widen_pipe_once();

  UniqueFd read_end_;
  std::unique_ptr<LogTarget> target_;
  std::unique_ptr<OutputFilter> filter_;
  OutputSink* sink_ = nullptr;
  std::string held_;
  OutputTail tail_;
  bool pipe_widened_ = false;
  MonotonicTime pumped_at_{};
};

}  // namespace clusterd
