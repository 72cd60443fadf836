// LogHistory: what the files of the chosen apps hold up to where the live events begin, in the order of time.
//
// Used by `logs` once, before it follows. Finds the beginning in each log from its end, or by time, goes back
// into its rotated files where the present one does not have enough, and merges the logs line by line.
// Memory: one block a log, with the window of a compressor where compressed files are read. A file that was
// rotated since the daemon told of it is found again by its inode, or by its name if it has been compressed;
// what cannot be read is said through `note` and does not hinder the rest.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/logs/log_record.h"
#include "cli/logs/logs_options.h"
#include "cli/logs/rotated_logs.h"
#include "cli/logs/timed_lines.h"

namespace clusterd::cli {

// One log, as the event `sources` describes it.
struct LogFileSource {
  LogSource source;
  std::string path;
  FileIdentity identity;  // zeros: whatever has that name
  std::int64_t offset = 0;
  TimeMarks marks;
  struct Rotated {
    std::string name;
    TimeMarks marks;
  };
  Rotated rotated;  // what the daemon has moved aside last; an empty name: nothing
  // The files before it, newest first, if they are not named as the daemon names them.
  std::vector<std::string> older;
  std::string next_rotated;  // what it would be called if it were moved aside then; empty: it never is
};
LogFileSource log_file_source(const nlohmann::json& entry);

class LogHistory {
 public:
  using Note = std::function<void(const std::string& sentence)>;

  // `now_wall_ms` is not later than the instant at which the live events begin.
  LogHistory(const LogsOptions& options, std::int64_t now_wall_ms, Note note);

  void add(LogFileSource file);
  bool empty() const { return logs_.empty(); }
  // Until show() returns false.
  void show(const std::function<bool(const LogSource& source, const LineSource::Line& line)>& show);

 private:
  // Where a file is to be shown from.
  struct Begin {
    std::int64_t offset = 0;
    int lines = 0;           // wanted ones from there on, as far as they count
    bool ends_here = false;  // nothing before it is wanted, whatever has been found
  };
  // What has been found of a log so far, going back from its end.
  struct Found {
    std::deque<ChainedLines::Open> parts;
    std::vector<FileIdentity> files;  // that are kept open
    int missing = 0;                  // lines
  };
  bool take(Found& found, const Begin& begin) const;
  bool add_present(const LogFileSource& file, Found& found);
  bool add_file(FileTail file, const TimeMarks& marks, std::int64_t end, Found& found);
  bool add_moved(const LogFileSource& file, const Error& error, Found& found);
  bool add_compressed(const RotatedLog& log, FileTail file, std::int64_t end, bool all_since, Found& found);
  bool add_rotated(const RotatedLog& log, bool all_since, Found& found);
  void go_back(const LogFileSource& file, Found& found);
  void go_back_by_names(const std::vector<std::string>& older, Found& found);
  std::unique_ptr<LineSource> lines_of(const RotatedLog& log, std::int64_t begin, std::int64_t end);

  Result<Begin> begin_in(const FileTail& file, const TimeMarks& marks, std::int64_t end, bool all_since,
                         int lines) const;
  Result<Begin> last_lines(const FileTail& file, std::int64_t end, int lines) const;
  Result<std::int64_t> start_since(const FileTail& file, const TimeMarks& marks, std::int64_t end) const;
  void note_unknown_times(const std::string& path) const;
  std::function<void()> damage_note(const std::string& path);
  bool counts_lines() const { return options_.lines || !options_.since; }
  int lines_or_default() const { return options_.lines.value_or(kLogLinesDefault); }

  const LogsOptions& options_;
  std::int64_t now_wall_ms_;
  std::optional<std::int64_t> since_;  // wall-clock ms
  FileTail::Wanted wanted_;
  Note note_;
  RotatedLogs rotated_;
  std::set<std::string> damaged_;  // files of which that has been said
  std::vector<LogSource> sources_;
  std::vector<std::unique_ptr<LineSource>> logs_;
};

}  // namespace clusterd::cli
