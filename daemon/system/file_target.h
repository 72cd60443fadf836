// FileTarget: the share of one stream in a LogFile, which may be that of several streams.
//
// Made by daemon/log_targets. Registered as a writer of the file for as long as it lives, so that the file
// knows when lines of several writers could mix.
#pragma once

#include <memory>

#include "daemon/system/log_file.h"
#include "daemon/system/log_target.h"

namespace clusterd {

class FileTarget final : public LogTarget {
 public:
  explicit FileTarget(std::shared_ptr<LogFile> file);
  ~FileTarget() override;

  void write(std::string_view bytes, MonotonicTime now) override { file_->write(writer_, bytes, now); }
  bool wants_whole_lines() const override { return file_->writer_count() > 1; }

 private:
  std::shared_ptr<LogFile> file_;
  LogFile::Writer writer_;
};

}  // namespace clusterd
