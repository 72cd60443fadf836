// LogPaths: which files the output and the pid of an instance go to. Pure; the same for every generation, so
// that slot k of an app always has the same path, whatever is reloaded or scaled.
#pragma once

#include <string>

#include "common/home_paths.h"
#include "config/app_spec.h"

namespace clusterd {

struct InstancePaths {
  std::string out_file;
  std::string error_file;
  std::string combined_file;  // both together, beside them; empty: none
  std::string pid_file;
};

InstancePaths instance_paths(const HomePaths& home, const AppSpec& spec, int slot, int id);

}  // namespace clusterd
