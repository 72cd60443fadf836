#include "daemon/system/directories.h"

#include <sys/stat.h>

#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<void> make_one(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return {};
  const int error = errno;
  if (is_directory(path)) return {};
  if (error == EEXIST) return fail(ErrorCode::conflict, path + " exists and is not a directory");
  return system_error("cannot create directory " + path, error);
}

}  // namespace

std::string parent_directory(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> make_directories(const std::string& path, mode_t mode) {
  if (is_directory(path)) return {};
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (auto made = make_one(path.substr(0, slash), mode); !made) return made;
  }
  return make_one(path, mode);
}

}  // namespace clusterd
