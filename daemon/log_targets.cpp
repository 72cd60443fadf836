#include "daemon/log_targets.h"

#include "daemon/cron_zone.h"
#include "daemon/system/file_target.h"
#include "daemon/system/tee_target.h"

namespace clusterd {
namespace {

std::unique_ptr<LogTarget> file_target(const LogPlaces& places, const AppSpec& spec,
                                       const std::string& path) {
  if (path == "/dev/null") return std::make_unique<NullTarget>();
  auto file = places.files.file_for(path);
  const bool by_cron = spec.log.rotate && spec.log.rotate->interval == LogRotation::Interval::cron;
  places.keeper.keep(file, spec.log.rotate, by_cron ? cron_zone_name(spec) : "");
  return std::make_unique<FileTarget>(std::move(file));
}

LogLabels labels_of(const LogOrigin& origin) {
  return {origin.app.name, origin.app.name_space, origin.slot, origin.id, stream_name(origin.stream)};
}

std::unique_ptr<LogTarget> own_target(const LogPlaces& places, const AppSpec& spec,
                                      const InstancePaths& paths, const LogOrigin& origin) {
  const bool is_out = origin.stream == Stream::out;
  switch (log_target_of(spec.log)) {
    case LogTargetKind::null:
      return std::make_unique<NullTarget>();
    case LogTargetKind::journald:
      return places.services.target(LogService::journald, labels_of(origin));
    case LogTargetKind::syslog:
      return places.services.target(LogService::syslog, labels_of(origin));
    case LogTargetKind::standard:
      return std::make_unique<FileTarget>(places.files.file_for(is_out ? "/dev/stdout" : "/dev/stderr"));
    case LogTargetKind::file:
    case LogTargetKind::direct:
      break;
  }
  return file_target(places, spec, is_out ? paths.out_file : paths.error_file);
}

}  // namespace

std::unique_ptr<LogTarget> make_log_target(const LogPlaces& places, const AppSpec& spec,
                                           const InstancePaths& paths, const LogOrigin& origin) {
  auto own = own_target(places, spec, paths, origin);
  if (paths.combined_file.empty() || log_target_of(spec.log) == LogTargetKind::null) return own;
  std::vector<std::unique_ptr<LogTarget>> both;
  both.push_back(std::move(own));
  both.push_back(file_target(places, spec, paths.combined_file));
  return std::make_unique<TeeTarget>(std::move(both));
}

UniqueFd open_direct_log(const AppSpec& spec, const InstancePaths& paths, Stream stream) {
  if (log_target_of(spec.log) != LogTargetKind::direct) return UniqueFd();
  return LogFile::open_for_child(stream == Stream::out ? paths.out_file : paths.error_file);
}

}  // namespace clusterd
