// CronRule and WatchRule: when an app is restarted although nothing is wrong with it.
//
// Parts of AppSpec, as the operator wrote them: read in config/runtime_fields, carried out by
// daemon/cron_restarts and daemon/watch_restarts. Pure values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clusterd {

enum class CronOverlap : std::uint8_t {
  restart,  // what runs is replaced
  skip,     // what runs goes on; this time is left out
};

struct CronRule {
  std::string pattern;                 // empty: none; see config/cron_pattern.h
  std::string zone;                    // empty: TZ of the app's environment, or else the daemon's zone
  std::optional<CronOverlap> overlap;  // absent: skip without autorestart, else restart
  bool operator==(const CronRule&) const = default;
};

inline constexpr std::size_t kWatchPatternsMax = 256;

struct WatchRule {
  bool on = false;
  std::vector<std::string> paths;  // absolute, may be globs; empty: the working directory
  // Absent: names that begin with a dot. What nobody wants to watch is left out anyway; see watch_filter.h.
  std::optional<std::vector<std::string>> ignored;
  std::chrono::milliseconds delay{200};  // of quiet before the restart
  bool operator==(const WatchRule&) const = default;
};

}  // namespace clusterd
