// LogKeeper: rotates log files, deletes and compresses the rotated ones, and keeps all of them below a limit.
//
// One per daemon, owned by ProcessHost; told of each file when a stream opens it. What is due is decided in
// daemon/core/rotation_rule; moving is LogFile's, compressing the Compressor's. Wakes up when a file is
// due, at least each minute, and only if some file rotates by time or a limit is set. Never waits for the
// disk longer than it takes to rename, to list a folder and to unlink.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "config/log_settings.h"
#include "daemon/core/cron_schedule.h"
#include "daemon/core/rotation_rule.h"
#include "daemon/system/compressor.h"
#include "daemon/system/log_hub.h"
#include "daemon/system/time_zone.h"

namespace clusterd {

struct LogLimits {
  std::string folder;                      // of the home: everything in it counts
  std::optional<std::uint64_t> total_max;  // of all logs together; absent: none
};

class LogKeeper {
 public:
  LogKeeper(boost::asio::io_context& io, LogHub& hub, LogLimits limits);
  ~LogKeeper();

  // From now on; the last word of several streams of one file counts. `zone` is that of a cron pattern;
  // empty: the daemon's own.
  void keep(const std::shared_ptr<LogFile>& file, const std::optional<LogRotation>& rotation,
            const std::string& zone);
  // What `path` will be called at the earliest if it is rotated at this time or later, unless the clock is
  // put back.
  std::string next_name(const std::string& path, const LocalTime& now) const;
  void stop();  // no more timers: the daemon ends

 private:
  struct Kept {
    std::weak_ptr<LogFile> file;
    LogRotation rotation;
    std::string zone_name;
    std::shared_ptr<const TimeZone> zone;
    std::optional<CronSchedule> schedule;
    // Without its number, which within a second only grows: files may have been deleted.
    std::string last_name;
    int last_number = 0;
  };

  bool move_aside(const std::string& path, MonotonicTime now);
  void sweep_soon(const std::string& path);
  void sweep(const std::string& path);
  void arm();
  void tick();
  void rotate_due_files();
  bool is_timed() const;
  std::chrono::milliseconds until_next_look() const;
  void brake();

  boost::asio::io_context& io_;
  LogHub& hub_;
  LogLimits limits_;
  std::map<std::string, Kept> kept_;
  std::set<std::string> sweeps_;  // paths whose sweep is posted
  boost::asio::steady_timer timer_;
  bool armed_ = false;
  bool stopped_ = false;
  std::shared_ptr<LogKeeper*> alive_;  // what is posted by the compressor's thread may come late
  Compressor compressor_;
};

}  // namespace clusterd
