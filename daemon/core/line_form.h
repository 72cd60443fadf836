// LineForm: how one line of an app is written to a log: as it is, with a stamp, or as a JSON object.
//
// Pure; used by LineFilter. A stamped line is "STAMP: TEXT". Where a long line was cut, kCutMark ends the one
// piece and begins the next. A JSON line is {"timestamp", "type", "app_name", "process_id", "message"} and,
// where the line goes on in the next object, "continued": true; bytes that are no UTF-8 become U+FFFD there,
// and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "config/log_settings.h"
#include "common/date_format.h"
#include "daemon/core/line_cutter.h"

namespace clusterd {

inline constexpr std::string_view kCutMark = "[...]";

// Appends `bytes` as the inside of a JSON string.
void append_json_text(std::string& out, std::string_view bytes);

class LineForm {
 public:
  struct Origin {
    std::string app;
    int id = 0;
    std::string_view stream;  // "out" or "err"
  };
  LineForm(const LogSettings& log, const Origin& origin);

  // Whatever is appended afterwards arrived at this time.
  void set_time(const LocalTime& now);
  void append(std::string& out, const LinePiece& piece) const;
  // A sentence of the daemon, as a line of its own.
  void append_remark(std::string& out, std::string_view sentence) const;

  // JSON objects are never written by halves: an unfinished line waits for its end.
  bool can_release() const { return type_ == LogType::raw; }

 private:
  void append_text(std::string& out, const LinePiece& piece) const;
  void append_object(std::string& out, std::string_view type, std::string_view text, bool continued) const;

  LogType type_;
  std::string format_;
  std::string stream_;
  std::string tail_;  // of every object, from the app's name on
  std::string stamp_;
};

}  // namespace clusterd
