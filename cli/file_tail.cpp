#include "cli/file_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

}  // namespace

FileTail::FileTail(FileTail&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
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

Result<std::int64_t> FileTail::size_bytes() const {
  struct stat info{};
  if (fstat(fd_, &info) != 0) return file_failure("cannot read", path_, errno);
  return info.st_size;
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

Result<FileTail::Start> FileTail::find_start(std::int64_t end, int lines) const {
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
      if (newline && position + 1 < end && ++found == lines) return Start{position + 1, false};
      if (newline) line_end = position;
      if (line_end - position > static_cast<std::int64_t>(kTailLineBytesMax)) return Start{position, true};
    }
    block_end -= size;
  }
  return Start{0, false};
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
