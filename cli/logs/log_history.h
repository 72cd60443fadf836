// LogHistory: what the files of the chosen apps hold up to where the live events begin, in the order of time.
//
// Used by `logs` once, before it follows. Finds the beginning in each file from its end, or by time, and
// merges the files line by line; needs memory for one block a file. A file that was rotated since the daemon
// told of it is found again by its inode; what cannot be read is said through `note` and does not hinder the
// rest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/logs/log_record.h"
#include "cli/logs/logs_options.h"
#include "cli/logs/timed_lines.h"

namespace clusterd::cli {

// One file, as the event `sources` describes it.
struct LogFileSource {
  LogSource source;
  std::string path;
  FileIdentity identity;  // zeros: whatever has that name
  std::int64_t offset = 0;
  TimeMarks marks;
};
LogFileSource log_file_source(const nlohmann::json& entry);

class LogHistory {
 public:
  using Note = std::function<void(const std::string& sentence)>;

  LogHistory(const LogsOptions& options, std::int64_t now_wall_ms, Note note);

  void add(LogFileSource file);
  bool empty() const { return files_.empty(); }
  // Until show() returns false.
  void show(const std::function<bool(const LogSource& source, const TimedLines::Line& line)>& show);

 private:
  Result<std::int64_t> start_in(const FileTail& file, const LogFileSource& source, std::int64_t end) const;
  Result<std::int64_t> last_lines(const FileTail& file, std::int64_t end, int lines) const;
  Result<std::int64_t> start_since(const FileTail& file, const LogFileSource& source, std::int64_t end,
                                   std::int64_t since) const;

  const LogsOptions& options_;
  std::int64_t now_wall_ms_;
  Note note_;
  std::vector<LogSource> sources_;
  std::vector<std::unique_ptr<TimedLines>> files_;
};

}  // namespace clusterd::cli
