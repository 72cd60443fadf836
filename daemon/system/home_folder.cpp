#include "daemon/system/home_folder.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/directories.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kOthersMask = S_IRWXG | S_IRWXO;

std::string user_text(uid_t uid) {
  char buffer[1024];
  passwd entry{};
  passwd* found = nullptr;
  const std::string number = "uid " + std::to_string(uid);
  if (::getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) != 0 || found == nullptr) return number;
  return std::string(entry.pw_name) + " (" + number + ")";
}

std::unexpected<Error> owned_by_other(const std::string& path, uid_t owner) {
  return fail(ErrorCode::denied,
              path + " belongs to " + user_text(owner) + ", but this is " + user_text(::geteuid()) +
                  ": run clusterd as that user, or set CLUSTERD_HOME to a folder of your own");
}

Result<void> prepare_folder(const std::string& path) {
  if (auto made = make_directories(path, kFolderMode); !made) {
    return fail(made.error().code, "cannot use " + path + ": " + made.error().message);
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return system_error("cannot examine " + path, errno);
  if (status.st_uid != ::geteuid()) return owned_by_other(path, status.st_uid);
  return {};
}

Result<void> close_to_others(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return system_error("cannot examine " + path, errno);
  if ((status.st_mode & kOthersMask) == 0) return {};
  const mode_t own_bits = status.st_mode & 07777 & ~kOthersMask;
  if (::chmod(path.c_str(), own_bits) != 0) return system_error("cannot close " + path + " to others", errno);
  return {};
}

}  // namespace

Result<void> prepare_home(const HomePaths& paths) {
  if (auto ready = prepare_folder(paths.home); !ready) return ready;
  if (auto closed = close_to_others(paths.home); !closed) return closed;
  for (const std::string& folder : {paths.logs, paths.pids, paths.run}) {
    if (auto ready = prepare_folder(folder); !ready) return ready;
  }
  return {};
}

}  // namespace clusterd
