#include "daemon/system/trusted_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

namespace clusterd {
namespace {

constexpr int kLinksMax = 40;  // as the kernel has it
constexpr int kElementFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

UniqueFd open_root() { return UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)); }

// Fails with `error`, whatever the descriptors that are closed on the way do to errno.
UniqueFd refuse(int error) {
  errno = error;
  return UniqueFd();
}

// The next element of `rest`, which is shortened by it.
std::string take_element(std::string& rest) {
  rest.erase(0, rest.find_first_not_of('/'));
  const std::size_t slash = rest.find('/');
  std::string element = rest.substr(0, slash);
  rest = slash == std::string::npos ? "" : rest.substr(slash);
  if (rest.find_first_not_of('/') == std::string::npos) rest.clear();
  return element;
}

bool is_ours(const struct stat& link) { return link.st_uid == 0 || link.st_uid == ::geteuid(); }

}  // namespace

UniqueFd trusted_open(const std::string& path, int flags, mode_t mode, mode_t folder_mode) {
  std::string rest = path;
  UniqueFd folder = open_root();
  for (int links = 0; folder;) {
    const std::string element = take_element(rest);
    if (element.empty()) return refuse(EISDIR);
    UniqueFd at(::openat(folder.get(), element.c_str(), kElementFlags));
    struct stat facts{};
    if (at && ::fstat(at.get(), &facts) == 0 && S_ISLNK(facts.st_mode)) {
      std::array<char, PATH_MAX> target{};
      const ssize_t size = ::readlinkat(at.get(), "", target.data(), target.size());
      if (!is_ours(facts)) return refuse(EACCES);
      if (size <= 0 || size == static_cast<ssize_t>(target.size()) || ++links > kLinksMax)
        return refuse(ELOOP);
      rest = std::string(target.data(), static_cast<std::size_t>(size)) + (rest.empty() ? "" : "/" + rest);
      if (target[0] == '/') folder = open_root();
      continue;
    }
    if (rest.empty()) return UniqueFd(::openat(folder.get(), element.c_str(), flags | O_NOFOLLOW, mode));
    if (!at) {
      if (::mkdirat(folder.get(), element.c_str(), folder_mode) != 0) return refuse(errno);
      at.reset(::openat(folder.get(), element.c_str(), kElementFlags | O_DIRECTORY));
    }
    folder = std::move(at);
  }
  return folder;
}

}  // namespace clusterd
