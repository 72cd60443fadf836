#include "cli/logs/file_follower.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/path_text.h"

namespace clusterd::cli {
namespace {

bool is_same(const FileTail& one, const FileTail& other) {
  const auto facts = one.facts();
  const auto others = other.facts();
  return facts && others && facts->identity == others->identity;
}

}  // namespace

std::string rotated_name(const std::string& path, int number) {
  if (number == 0) return path;
  const std::string ending(extension(path));
  return path.substr(0, path.size() - ending.size()) + "." + std::to_string(number) + ending;
}

FileFollower::FileFollower(FileFollower&& other) noexcept
    : path_(std::move(other.path_)),
      notify_fd_(std::exchange(other.notify_fd_, -1)),
      file_(std::move(other.file_)),
      offset_(other.offset_) {}
FileFollower::~FileFollower() {
  if (notify_fd_ >= 0) close(notify_fd_);
}

Result<FileFollower> FileFollower::open(const std::string& path) {
  FileFollower follower(path);
  follower.notify_fd_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const bool watches =
      follower.notify_fd_ >= 0 && inotify_add_watch(follower.notify_fd_, folder.c_str(),
                                                    IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE) >= 0;
  if (!watches) return fail(ErrorCode::failed, "cannot watch " + folder + ": " + std::strerror(errno));
  auto file = FileTail::open(path);
  if (!file) return follower;
  const auto facts = file->facts();
  if (!facts) return fail(facts.error());
  follower.offset_ = facts->size;
  follower.file_ = std::move(*file);
  return follower;
}

FileIdentity FileFollower::identity() const {
  const auto facts = file_ ? file_->facts() : Result<FileTail::Facts>(FileTail::Facts{});
  return facts ? facts->identity : FileIdentity{};
}

Result<> FileFollower::read_rest(const OnBytes& on_bytes) {
  const auto facts = file_->facts();
  if (!facts) return fail(facts.error());
  if (facts->size < offset_) offset_ = 0;  // emptied
  auto read = file_->read_range(offset_, facts->size, [&](std::string_view bytes) {
    offset_ += static_cast<std::int64_t>(bytes.size());
    on_bytes(bytes);
    return true;
  });
  return read;
}

// The file that was begun after ours: the one with the next lower number.
std::string FileFollower::successor() const {
  for (int number = 1; number <= kRotatedFilesMax; ++number) {
    const auto file = FileTail::open(rotated_name(path_, number));
    if (file && is_same(*file, *file_)) return rotated_name(path_, number - 1);
  }
  return path_;
}

Result<> FileFollower::catch_up(const OnBytes& on_bytes) {
  for (int files = 0; files <= kRotatedFilesMax; ++files) {
    if (file_) {
      if (auto read = read_rest(on_bytes); !read) return read;
    }
    auto named = FileTail::open(path_);
    if (!named) return {};  // not there for a moment, or for ever: it will be seen
    if (file_ && is_same(*named, *file_)) return {};
    if (file_) {
      if (auto read = read_rest(on_bytes); !read) return read;  // what came before it was renamed
      named = FileTail::open(successor());
      if (!named) return {};
    }
    file_ = std::move(*named);
    offset_ = 0;
  }
  return {};
}

FileFollower::Woken FileFollower::wait(int output_fd) const {
  std::array<pollfd, 2> fds{pollfd{notify_fd_, POLLIN, 0}, pollfd{output_fd, 0, 0}};
  while (poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
  }
  if (fds[1].revents != 0) return Woken::output_gone;
  alignas(inotify_event) std::array<char, 16 * 1024> events;
  while (read(notify_fd_, events.data(), events.size()) > 0) {
  }
  return Woken::changed;
}

}  // namespace clusterd::cli
