#include "daemon/log_targets.h"

#include "daemon/system/file_target.h"
#include "daemon/system/tee_target.h"

namespace clusterd {
namespace {

std::unique_ptr<LogTarget> file_target(LogHub& hub, LogKeeper& keeper, const AppSpec& spec,
                                       const std::string& path) {
  if (path == "/dev/null") return std::make_unique<NullTarget>();
  auto file = hub.file_for(path);
  keeper.keep(file, spec.log.rotate);
  return std::make_unique<FileTarget>(std::move(file));
}

}  // namespace

std::unique_ptr<LogTarget> make_log_target(LogHub& hub, LogKeeper& keeper, const AppSpec& spec,
                                           const InstancePaths& paths, const LogOrigin& origin) {
  if (log_target_of(spec.log) == LogTargetKind::null) return std::make_unique<NullTarget>();
  auto own = file_target(hub, keeper, spec, origin.stream == Stream::out ? paths.out_file : paths.error_file);
  if (paths.combined_file.empty()) return own;
  std::vector<std::unique_ptr<LogTarget>> both;
  both.push_back(std::move(own));
  both.push_back(file_target(hub, keeper, spec, paths.combined_file));
  return std::make_unique<TeeTarget>(std::move(both));
}

UniqueFd open_direct_log(const AppSpec& spec, const InstancePaths& paths, Stream stream) {
  if (log_target_of(spec.log) != LogTargetKind::direct) return UniqueFd();
  return LogFile::open_for_child(stream == Stream::out ? paths.out_file : paths.error_file);
}

}  // namespace clusterd
