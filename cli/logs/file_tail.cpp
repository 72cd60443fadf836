#include "cli/logs/file_tail.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace clusterd::cli {
namespace {

std::unexpected<Error> file_failure(const std::string& what, const std::string& path, int error) {
  ErrorCode code = error == EACCES   ? ErrorCode::denied
                   : error == ENOENT ? ErrorCode::not_found
                                     : ErrorCode::failed;
  return fail(code, what + " " + path + ": " + std::strerror(error));
}

// The name an inode has in a folder now.
std::optional<std::string> name_of(const std::string& folder, std::uint64_t inode) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return std::nullopt;
  while (const dirent* entry = readdir(entries.get())) {
    if (entry->d_ino == inode) return entry->d_name;
  }
  return std::nullopt;
}

}  // namespace

FileTail::FileTail(FileTail&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
FileTail& FileTail::operator=(FileTail&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}
FileTail::~FileTail() {
  if (fd_ >= 0) close(fd_);
}

Result<FileTail> FileTail::open(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return file_failure("cannot read", path, errno);
  FileTail tail(fd, path);
  struct stat info{};
  if (fstat(fd, &info) != 0) return file_failure("cannot read", path, errno);
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::failed, path + " is no regular file and keeps no lines");
  return tail;
}

Result<FileTail> FileTail::open(const std::string& path, const FileIdentity& identity) {
  const auto is_it = [&](const FileTail& tail) {
    auto facts = tail.facts();
    return facts && facts->identity == identity;
  };
  auto named = open(path);
  if (named && is_it(*named)) return named;
  if (!named && named.error().code != ErrorCode::not_found) return named;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (const auto name = name_of(folder, identity.inode)) {
    auto renamed = open(folder + *name);
    if (renamed && is_it(*renamed)) return renamed;
  }
  return fail(ErrorCode::not_found, path + " was rotated away while it was looked at");
}

Result<FileTail::Facts> FileTail::facts() const {
  struct stat info{};
  if (fstat(fd_, &info) != 0) return file_failure("cannot read", path_, errno);
  return Facts{info.st_size,
               info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000,
               {info.st_dev, info.st_ino}};
}

Result<std::size_t> FileTail::read_at(std::int64_t offset, char* buffer, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    ssize_t count = pread(fd_, buffer + done, size - done, offset + static_cast<std::int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_failure("cannot read", path_, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool FileTail::is_wanted(std::int64_t begin, std::int64_t end, const Wanted& wanted) const {
  if (!wanted) return true;
  std::string line(static_cast<std::size_t>(std::min<std::int64_t>(end - begin, kTailLineBytesMax)), '\0');
  auto count = read_at(begin, line.data(), line.size());
  return count && wanted(std::string_view(line).substr(0, *count));
}

Result<FileTail::Start> FileTail::find_start(std::int64_t end, int lines, const Wanted& wanted) const {
  if (lines <= 0 || end <= 0) return Start{end, false};
  std::vector<char> block(kTailBlockBytes);
  std::int64_t line_end = end;  // of the line the scan is in
  int found = 0;
  for (std::int64_t block_end = end; block_end > 0;) {
    auto size = std::min<std::int64_t>(block_end, kTailBlockBytes);
    auto count = read_at(block_end - size, block.data(), static_cast<std::size_t>(size));
    if (!count) return fail(count.error());
    if (*count < static_cast<std::size_t>(size)) return Start{end, false};  // truncated while we look
    for (std::int64_t at = size - 1; at >= 0; --at) {
      std::int64_t position = block_end - size + at;
      bool newline = block[static_cast<std::size_t>(at)] == '\n';
      bool begins_line = newline && position + 1 < end;
      if (begins_line && is_wanted(position + 1, line_end, wanted) && ++found == lines)
        return Start{position + 1, false, found};
      if (newline) line_end = position;
      if (!wanted && line_end - position > static_cast<std::int64_t>(kTailLineBytesMax))
        return Start{position, true, found + 1};
    }
    block_end -= size;
  }
  return Start{0, false, found + (is_wanted(0, line_end, wanted) ? 1 : 0)};
}

Result<> FileTail::read_range(std::int64_t begin, std::int64_t end,
                              const std::function<bool(std::string_view)>& on_bytes) const {
  std::vector<char> block(kTailBlockBytes);
  while (begin < end) {
    auto size = std::min<std::int64_t>(end - begin, kTailBlockBytes);
    auto count = read_at(begin, block.data(), static_cast<std::size_t>(size));
    if (!count) return fail(count.error());
    if (*count == 0 || !on_bytes({block.data(), *count})) return {};
    begin += static_cast<std::int64_t>(*count);
  }
  return {};
}

}  // namespace clusterd::cli
