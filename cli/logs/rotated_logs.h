// RotatedLogs: which files a log went on from, newest first.
//
// Used by LogHistory. Lists each folder once. A file may be compressed, or deleted because it is old, while
// we look: it is known by its name without ".gz" and ".zst", and open() takes whichever is there, so its
// lines come once. A file that is being compressed (".part") is none yet.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/logs/file_tail.h"
#include "cli/logs/line_time.h"

namespace clusterd::cli {

struct RotatedLog {
  std::string path;  // without what compressing adds
  std::int64_t changed_wall_ms = 0;
  TimeMarks marks;  // if the daemon remembers them

  Result<FileTail> open() const;  // not_found: it has gone
};

class RotatedLogs {
 public:
  // What was moved aside before the moment at which `next_name` was what the log would be called next;
  // `moment` is that one or a little earlier, for clocks that were put back.
  std::vector<RotatedLog> before(const std::string& path, const std::string& next_name, std::int64_t moment);
  // The log itself as it was at that moment, if it has been moved aside and compressed since.
  std::optional<RotatedLog> first_after(const std::string& path, const std::string& next_name);

 private:
  using Names = std::vector<std::string>;  // sorted, without what compressing adds
  const Names& names_in(const std::string& folder, bool anew);
  std::vector<RotatedLog> all(const std::string& path, bool anew);

  std::map<std::string, Names> folders_;
};

}  // namespace clusterd::cli
