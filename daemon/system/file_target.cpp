#include "daemon/system/file_target.h"

#include <utility>

namespace clusterd {

FileTarget::FileTarget(std::shared_ptr<LogFile> file)
    : file_(std::move(file)), writer_(file_->add_writer()) {}

FileTarget::~FileTarget() { file_->remove_writer(); }

}  // namespace clusterd
