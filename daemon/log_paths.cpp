#include "daemon/log_paths.h"

#include <filesystem>

namespace clusterd {
namespace {

// "/var/log/web.log" of slot 2 -> "/var/log/web-2.log"
std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::filesystem::path file(path);
  return (file.parent_path() / (file.stem().string() + suffix + file.extension().string())).string();
}

bool is_device(const std::string& path) { return path.starts_with("/dev/"); }

std::string log_path(const HomePaths& home, const AppSpec& spec, int slot, const std::string& given,
                     const std::string& kind) {
  const std::string suffix = logs_merged(spec) ? "" : "-" + std::to_string(slot);

  if (!given.empty()) return is_device(given) ? given : with_suffix(given, suffix);
  // Names are checked not to contain '/', so neither can leave the folder.
  const std::string folder = spec.name_space == "default" ? home.logs : home.logs + "/" + spec.name_space;
  return folder + "/" + spec.name + "-" + kind + suffix + ".log";
}

std::string pid_path(const HomePaths& home, const AppSpec& spec, int slot, int id) {
  if (spec.pid_file.empty()) return home.pids + "/" + spec.name + "-" + std::to_string(id) + ".pid";
  return spec.instances_given ? with_suffix(spec.pid_file, "-" + std::to_string(slot)) : spec.pid_file;
}

}  // namespace

InstancePaths instance_paths(const HomePaths& home, const AppSpec& spec, int slot, int id) {
  const bool combined = !spec.log.file.empty() && spec.log.file != "/dev/null";
  return {log_path(home, spec, slot, spec.out_file, "out"),
          log_path(home, spec, slot, spec.error_file, "error"),
          combined ? log_path(home, spec, slot, spec.log.file, "") : "", pid_path(home, spec, slot, id)};
}

}  // namespace clusterd
