// OutputFilter: what is done to the output of a stream between its pipe and its log: stamps, JSON, a rate
// limit.
//
// Owned by the OutputPump, made by the glue (LineFilter); a stream without wishes has none, and costs
// nothing. It sees each byte once, in order, and answers with the bytes that go to log and followers.
#pragma once

#include <string_view>

#include "daemon/system/monotonic_time.h"

namespace clusterd {

class OutputFilter {
 public:
  OutputFilter() = default;
  virtual ~OutputFilter() = default;
  OutputFilter(const OutputFilter&) = delete;
  OutputFilter& operator=(const OutputFilter&) = delete;

  // All answers are valid until the next call.
  virtual std::string_view pass(std::string_view chunk, MonotonicTime now) = 0;
  // An unfinished line that has waited long enough.
  virtual std::string_view release(MonotonicTime now) = 0;
  // The stream is over: everything that is left.
  virtual std::string_view finish(MonotonicTime now) = 0;
  // release() has something to give, now or after a while.
  virtual bool holds() const = 0;
};

}  // namespace clusterd
