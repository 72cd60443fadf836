// LogSettings: what an app file says about the logs of an app, besides the names of the files.
//
// Pure value of AppSpec, read and written by config/log_fields. Sizes are bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace clusterd {

inline constexpr std::uint64_t kLogLineBytesMin = 256;
inline constexpr std::uint64_t kLogLineBytesMax = 64 * 1024 * 1024;  // an unfinished line is kept in memory
inline constexpr std::uint64_t kRotationBytesMin = 1024;
inline constexpr int kRotatedFilesMax = 10'000;  // `keep`
inline constexpr std::size_t kDateFormatBytesMax = 128;

enum class LogTargetKind : std::uint8_t {
  file,
  null,    // read, shown to those who follow, and forgotten
  direct,  // the app has the file itself; the daemon sees nothing of it
  journald,
  syslog,
  standard,  // "stdout": the daemon's own standard output and standard error
};

enum class LogType : std::uint8_t {
  raw,   // bytes as they were printed
  json,  // one object a line
};

struct LogRotation {
  // By the daemon's clock, and a week begins on Monday; cron: by the zone of the app's cron patterns.
  enum class Interval : std::uint8_t { none, hour, day, week, cron };
  enum class Compression : std::uint8_t { none, gzip, zstd };

  std::uint64_t size = 0;  // 0: not by size
  Interval interval = Interval::none;
  int keep = 10;                     // rotated files beside the current one; 0: none
  std::uint64_t total = 0;           // of the rotated files together; 0: no limit
  std::chrono::milliseconds age{0};  // of a rotated file; 0: no limit
  Compression compress = Compression::none;
  std::string cron;  // the pattern, with Interval::cron

  bool operator==(const LogRotation&) const = default;
};

inline constexpr std::uint64_t kRotationBytesDefault =
    10 * 1024 * 1024;  // if neither size nor interval is given

struct LogSettings {
  std::string file;  // output and errors together, beside the two files; empty: none
  LogTargetKind target = LogTargetKind::file;
  LogType type = LogType::raw;
  std::string date_format;               // of the stamp of each line; empty: see time
  bool time = false;                     // the same as a date_format of kTimeFormat
  bool disabled = false;                 // as target null; PM2's disable_logs
  std::uint64_t line_max = 1024 * 1024;  // longer lines are continued in the next; of stamped and JSON logs
  std::optional<int> rate_limit;         // lines a second, of each stream of each instance
  std::optional<LogRotation> rotate;

  bool operator==(const LogSettings&) const = default;
};

inline constexpr const char* kTimeFormat = "YYYY-MM-DDTHH:mm:ss";

// The format in which lines are stamped; empty: they are not.
inline std::string stamp_format(const LogSettings& log) {
  return !log.date_format.empty() ? log.date_format : std::string(log.time ? kTimeFormat : "");
}

// Whether out_file and error_file are written.
inline bool keeps_files(LogTargetKind target) {
  return target == LogTargetKind::file || target == LogTargetKind::direct;
}

inline LogTargetKind log_target_of(const LogSettings& log) {
  return log.disabled ? LogTargetKind::null : log.target;
}

}  // namespace clusterd
