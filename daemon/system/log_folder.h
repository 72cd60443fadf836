// LogFolder: the folder of a log file, held open, for everything that is done to rotated files.
//
// Everything goes by descriptor and never follows a link, because the folder may belong to the user of an app
// while the daemon is root. Used by LogFile (moving aside), LogKeeper (listing, deleting) and Compressor.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct LogFolderEntry {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;  // since 1970
};

class LogFolder {
 public:
  // `path` is absolute.
  static Result<LogFolder> open(const std::string& path);

  int fd() const { return fd_.get(); }

  // Calls for each regular file; at most kLogFolderEntriesMax of them.
  void each_file(const std::function<void(const LogFolderEntry& entry)>& visit) const;

  // Fails with errno EEXIST if there is something of that name; 0 is success.
  int move(const std::string& from, const std::string& to) const;
  void remove(const std::string& name) const;

  // Names of the folders in one, links excepted.
  static std::vector<std::string> folders_in(const std::string& path);

 private:
  explicit LogFolder(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

inline constexpr int kLogFolderEntriesMax = 100'000;

}  // namespace clusterd
