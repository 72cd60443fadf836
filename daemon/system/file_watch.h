// FileWatch: readable when a file of one folder is removed or moved away. Costs nothing meanwhile.
//
// Used by the server to notice that a temp cleaner took its socket. Source: inotify(7).
#pragma once

#include <string>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class FileWatch {
 public:
  static Result<FileWatch> create(const std::string& folder);

  int fd() const { return inotify_.get(); }
  void drain();  // takes the events; the caller looks at the file itself

 private:
  explicit FileWatch(UniqueFd inotify) : inotify_(std::move(inotify)) {}

  UniqueFd inotify_;
};

}  // namespace clusterd
