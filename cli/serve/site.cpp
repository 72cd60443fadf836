#include "cli/serve/site.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace clusterd::serve {
namespace {

constexpr std::string_view kWellKnown = ".well-known";
constexpr const char* kIndex = "index.html";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit_of(text[i + 1]);
    const int low = digit_of(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (bytes.find('\0') != std::string::npos) return std::nullopt;
  return bytes;
}

int open_beneath(int folder, const char* path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (;;) {
    const auto fd = static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof how));
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return fd;  // EAGAIN: something was renamed meanwhile
  }
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) close(fd_);
}

std::optional<PublicPath> public_path(std::string_view target, bool& malformed) {
  malformed = true;
  if (!target.starts_with('/')) return std::nullopt;
  const auto bytes = decoded(target.substr(0, target.find_first_of("?#")));
  if (!bytes) return std::nullopt;
  malformed = false;
  PublicPath found;
  std::string_view rest = *bytes;
  found.folder = rest.ends_with('/');
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (name.empty() || name == ".") continue;
    if (name.starts_with('.') && name != kWellKnown) return std::nullopt;
    if (!found.path.empty()) found.path += '/';
    found.path += name;
  }
  return found;
}

Result<Site> Site::open(const std::string& folder) {
  FileHandle fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) return Site(std::move(fd));
  return fail(ErrorCode::usage, "cannot serve " + folder + ": " + std::strerror(errno));
}

Lookup Site::find(std::string_view target) const {
  bool malformed = false;
  const auto wanted = public_path(target, malformed);
  if (!wanted) {
    Lookup none;
    if (malformed) none.kind = Lookup::Kind::malformed;
    return none;
  }
  if (wanted->path.empty()) return open_file(kIndex, false);
  if (wanted->folder) return open_file(wanted->path + "/" + kIndex, false);
  return open_file(wanted->path, true);
}

Lookup Site::open_file(const std::string& path, bool may_be_folder) const {
  Lookup found;
  FileHandle fd(open_beneath(folder_.get(), path.c_str()));
  struct stat info{};
  if (!fd || fstat(fd.get(), &info) != 0) return found;
  if (S_ISDIR(info.st_mode) && may_be_folder) found.kind = Lookup::Kind::folder_without_slash;
  if (!S_ISREG(info.st_mode)) return found;
  found.kind = Lookup::Kind::file;
  found.file = {std::move(fd), static_cast<std::uint64_t>(info.st_size), info.st_mtim, path};
  return found;
}

}  // namespace clusterd::serve
