// LineFilter: the OutputFilter of an app that wants its lines stamped, as JSON, or no more than so many a
// second.
//
// One per stream, owned by its pump. Puts together what daemon/core decides: LineCutter, LineRate, LineForm.
// Lines have the time at which they were read from the pipe. What the rate limit drops is counted, and said
// in the log itself as soon as the second is over.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/log_settings.h"
#include "daemon/core/line_cutter.h"
#include "daemon/core/line_form.h"
#include "daemon/core/line_rate.h"
#include "daemon/log_origin.h"
#include "daemon/system/output_filter.h"

namespace clusterd {

class LineFilter final : public OutputFilter {
 public:
  LineFilter(const LogSettings& log, const LogOrigin& origin);

  std::string_view pass(std::string_view chunk, MonotonicTime now) override;
  std::string_view release(MonotonicTime now) override;
  std::string_view finish(MonotonicTime now) override;
  bool holds() const override;

 private:
  void begin(MonotonicTime now);
  void take(const LinePiece& piece);
  void say_dropped();

  LineCutter cutter_;
  LineForm form_;
  std::optional<LineRate> rate_;
  int rate_limit_ = 0;
  bool admitted_ = true;    // the present line
  bool line_open_ = false;  // what was given away last does not end with a newline
  std::int64_t stamped_at_ms_ = -1;
  std::string answer_;
};

// Null if the app wants nothing of the kind.
std::unique_ptr<OutputFilter> make_output_filter(const LogSettings& log, const LogOrigin& origin);

}  // namespace clusterd
