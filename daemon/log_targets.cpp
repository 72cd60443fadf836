#include "daemon/log_targets.h"

#include "daemon/system/file_target.h"

namespace clusterd {

std::unique_ptr<LogTarget> make_log_target(LogHub& hub, const AppSpec& /*spec*/, const InstancePaths& paths,
                                           const LogOrigin& origin) {
  const std::string& path = origin.stream == Stream::out ? paths.out_file : paths.error_file;
  return std::make_unique<FileTarget>(hub.file_for(path));
}

}  // namespace clusterd
