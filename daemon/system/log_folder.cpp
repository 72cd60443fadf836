#include "daemon/system/log_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "daemon/system/system_error.h"
#include "daemon/system/trusted_open.h"

namespace clusterd {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kLogFolderMode = 0750;

bool exists(int folder, const std::string& name) {
  struct stat facts{};
  return ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

Result<LogFolder> LogFolder::open(const std::string& path) {
  UniqueFd fd = ::geteuid() == 0 ? trusted_open(path, kFolderFlags, 0, kLogFolderMode)
                                 : UniqueFd(::open(path.c_str(), kFolderFlags));
  if (!fd) return system_error("cannot open the folder " + path, errno);
  return LogFolder(std::move(fd));
}

void LogFolder::each_file(const std::function<void(const LogFolderEntry& entry)>& visit) const {
  UniqueFd again(::openat(fd_.get(), ".", kFolderFlags));
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again.get()), ::closedir);
  if (!listing) return;
  again.release();
  for (int seen = 0; seen < kLogFolderEntriesMax; ++seen) {
    const dirent* entry = ::readdir(listing.get());
    if (entry == nullptr) return;
    struct stat facts{};
    if (::fstatat(fd_.get(), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
      continue;
    visit({entry->d_name, static_cast<std::uint64_t>(facts.st_size),
           std::int64_t{facts.st_mtim.tv_sec} * 1'000 + facts.st_mtim.tv_nsec / 1'000'000});
  }
}

std::vector<std::string> LogFolder::folders_in(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(path.c_str()), ::closedir);
  for (int seen = 0; listing && seen < kLogFolderEntriesMax; ++seen) {
    const dirent* entry = ::readdir(listing.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") names.push_back(name);
  }
  return names;
}

int LogFolder::move(const std::string& from, const std::string& to) const {
  if (::renameat2(fd_.get(), from.c_str(), fd_.get(), to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;
  // A file system that cannot (NFS); nobody but us makes files of such names.
  if (exists(fd_.get(), to)) return EEXIST;
  return ::renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) == 0 ? 0 : errno;
}

void LogFolder::remove(const std::string& name) const { ::unlinkat(fd_.get(), name.c_str(), 0); }

}  // namespace clusterd
