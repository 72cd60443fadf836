// LogHub: one LogFile per path, shared by every stream that names it.
//
// Owned by the supervisor; streams hold the LogFile by shared_ptr and the hub only remembers it, so a file is
// closed with its last stream. Which path a stream has is decided elsewhere; two spellings of one path that
// differ only in "//", "." or ".." are the same file here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/system/log_file.h"

namespace clusterd {

class LogHub {
 public:
  explicit LogHub(LogNotice notice);

  LogBudget& budget() { return budget_; }

  // Never fails: a file that cannot be opened reports that through the notice handler when it is written.
  std::shared_ptr<LogFile> file_for(const std::string& path);
  std::shared_ptr<LogFile> open_file(const std::string& path) const;  // null: no stream writes it

  std::vector<std::shared_ptr<LogFile>> open_files() const;

  // After rotation by others. All files are tried; the error joins the sentences of those that failed.
  Result<void> reopen_all();

 private:
  void forget_closed_files();

  LogNotice notice_;
  LogBudget budget_;
  std::map<std::string, std::weak_ptr<LogFile>> files_;
  std::size_t sweep_size_;  // number of entries at which closed files are forgotten
};

}  // namespace clusterd
