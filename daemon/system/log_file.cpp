#include "daemon/system/log_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "daemon/system/directories.h"
#include "daemon/system/log_folder.h"
#include "daemon/system/system_error.h"
#include "daemon/system/trusted_open.h"

namespace clusterd {
namespace {

// A path that cannot be opened again must stay in trouble although writes to the moved file succeed: the
// check has to come around at least once within the settle time.
static_assert(kTroubleSettleTime >= kFileCheckInterval);

constexpr mode_t kLogFileMode = 0640;
constexpr mode_t kLogFolderMode = 0750;
constexpr int kOpenFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// /dev/stdout and its relatives name a descriptor of ours. Opening them fails with ENXIO if it is a socket,
// as under a service manager that collects output in a journal; such a descriptor is duplicated instead.
UniqueFd duplicate_named_descriptor(std::string_view path) {
  int fd = -1;
  if (path == "/dev/stdout") {
    fd = STDOUT_FILENO;
  } else if (path == "/dev/stderr") {
    fd = STDERR_FILENO;
  } else {
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
      if (path.starts_with(folder)) {
        std::from_chars(path.data() + folder.size(), path.data() + path.size(), fd);
      }
    }
  }
  return UniqueFd(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

std::string open_failure_hint(int error) {
  if (error == ENXIO) return "nobody has it open for reading";
  return errno_text(error);
}

// A file nobody may read counts as ending in a whole line: better a joined line than a blank one each start.
bool last_byte_is_newline(const std::string& path, off_t size) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  char last = '\n';
  return !fd || ::pread(fd.get(), &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

LogFile::LogFile(std::string path, LogNotice notice) : path_(std::move(path)), notice_(std::move(notice)) {
  if (auto opened = open(); !opened) note_trouble(opened.error().message);
}

UniqueFd LogFile::open_for_child(const std::string& path) {
  LogFile file(path, {});
  const int flags = file.fd_ ? ::fcntl(file.fd_.get(), F_GETFL) : 0;
  if (!file.fd_ || file.type_ == S_IFSOCK || ::fcntl(file.fd_.get(), F_SETFL, flags & ~O_NONBLOCK) != 0)
    return UniqueFd();
  return std::move(file.fd_);
}

LogFile::Writer LogFile::add_writer() {
  ++writers_;
  return ++last_issued_;
}

void LogFile::write(Writer writer, std::string_view bytes, MonotonicTime now) {
  if (bytes.empty()) return;
  check_path(now);
  if (writer != last_writer_ && !at_line_start()) write_or_drop("\n", now);
  if (rotation_due_) bytes = write_old_part(writer, bytes, now);
  last_writer_ = writer;  // a new file has none
  if (!bytes.empty()) write_or_drop(bytes, now);
}

void LogFile::set_rotation(std::uint64_t size_max, RotationDue due) {
  size_max_ = size_max;
  rotation_due_ = std::move(due);
}

void LogFile::rotate_soon(MonotonicTime now) {
  if (!rotation_due_ || size() == 0) return;
  rotation_wanted_ = true;
  if (at_line_start()) rotate(now);
}

// Writes what belongs to the present file, moves that aside, and so on; what is left fits.
std::string_view LogFile::write_old_part(Writer writer, std::string_view bytes, MonotonicTime now) {
  while (const auto point = rotation_point(bytes, now)) {
    if (*point > 0) write_or_drop(bytes.substr(0, *point), now);
    bytes.remove_prefix(*point);
    last_writer_ = writer;
    if (!rotate(now) || bytes.empty()) break;
  }
  return bytes;
}

// How many of the bytes belong to the present file if it is to be moved aside; nothing: it is not yet.
std::optional<std::size_t> LogFile::rotation_point(std::string_view bytes, MonotonicTime now) const {
  if (!fd_ || type_ != S_IFREG) return std::nullopt;
  if (rotation_failed_at_ && now - *rotation_failed_at_ < kRotationRetryInterval) return std::nullopt;
  const std::uint64_t room = size_ < size_max_ ? size_max_ - size_ : 0;
  const bool too_large = size_max_ > 0 && bytes.size() > room;
  if (!rotation_wanted_ && !too_large) return std::nullopt;
  const bool may_move_now = at_line_start_ && size_ > 0;
  if (!rotation_wanted_) {
    const std::size_t last = bytes.substr(0, room).rfind('\n');
    if (last != bytes.npos) return last + 1;
  }
  if (may_move_now) return 0;
  const std::size_t first = bytes.find('\n');
  return first == bytes.npos ? std::nullopt : std::optional(first + 1);
}

bool LogFile::rotate(MonotonicTime now) {
  const bool moved = rotation_due_(now);
  if (moved) rotation_wanted_ = false;
  rotation_failed_at_ = moved ? std::nullopt : std::optional(now);
  return moved;
}

Result<void> LogFile::move_to(const std::string& name) {
  const std::string folder_path = parent_directory(path_);
  auto folder = LogFolder::open(folder_path);
  if (!folder) return fail(folder.error());
  struct stat named{};
  const std::string own_name = path_.substr(path_.rfind('/') + 1);
  if (::fstatat(folder->fd(), own_name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
    return system_error("cannot rotate " + path_, errno);
  if (S_ISLNK(named.st_mode))
    return fail(ErrorCode::failed,
                "cannot rotate " + path_ + ": it is a symbolic link; name the file itself");
  if (const int error = folder->move(own_name, name); error != 0) {
    if (error == EEXIST) return fail(ErrorCode::conflict, name + " exists already");
    return system_error("cannot rotate " + path_, error);
  }
  last_rotated_ = {name, marks_.take()};
  return open();
}

Result<void> LogFile::reopen() { return open(); }

Result<void> LogFile::truncate() {
  if (!fd_ || type_ != S_IFREG) return {};
  const std::uint64_t freed = size();
  if (::ftruncate(fd_.get(), 0) != 0) return system_error("cannot empty " + path_, errno);
  if (budget_ != nullptr) budget_->regain(freed);  // at once: who is told to go on writing must be able to
  at_line_start_ = true;
  marks_.clear();
  size_ = 0;
  return {};
}

std::uint64_t LogFile::size() const {
  struct stat status{};
  if (!fd_ || type_ != S_IFREG || ::fstat(fd_.get(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

LogFile::Identity LogFile::identity() const {
  struct stat status{};
  if (!fd_ || ::fstat(fd_.get(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::int64_t LogFile::modified_ms() const {
  struct stat status{};
  if (!fd_ || ::fstat(fd_.get(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000 + status.st_mtim.tv_nsec / 1'000'000;
}

Result<void> LogFile::open() {
  auto target = open_target();
  if (!target) return fail(target.error());
  struct stat status{};
  if (::fstat(target->get(), &status) != 0) return system_error("cannot examine log file " + path_, errno);
  fd_ = std::move(*target);
  type_ = status.st_mode & S_IFMT;
  at_line_start_ = type_ != S_IFREG || status.st_size == 0 || last_byte_is_newline(path_, status.st_size);
  last_writer_ = 0;
  marks_.clear();
  size_ = type_ == S_IFREG ? static_cast<std::uint64_t>(status.st_size) : 0;
  return {};
}

// A root daemon writes into folders of its apps' users, who could put links in its way. Below /dev and /proc
// links are the system's: /dev/stdout is one.
UniqueFd LogFile::open_path() const {
  const bool led_by_others = ::geteuid() == 0 && !path_.starts_with("/dev/") && !path_.starts_with("/proc/");
  return led_by_others ? trusted_open(path_, kOpenFlags, kLogFileMode, kLogFolderMode)
                       : UniqueFd(::open(path_.c_str(), kOpenFlags, kLogFileMode));
}

Result<UniqueFd> LogFile::open_target() const {
  UniqueFd fd = open_path();
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) {
    if (auto made = make_directories(parent_directory(path_), kLogFolderMode); !made) {
      return fail(made.error().code, "cannot open log file " + path_ + ": " + made.error().message);
    }
    fd = open_path();
  }
  int error = errno;
  if (!fd && error == ENXIO) fd = duplicate_named_descriptor(path_);
  if (fd) return fd;
  return fail(error == EACCES ? ErrorCode::denied : ErrorCode::failed,
              "cannot open log file " + path_ + ": " + open_failure_hint(error));
}

bool LogFile::at_line_start() const {
  // Others may have emptied the file meanwhile (copy and truncate).
  return at_line_start_ || (type_ == S_IFREG && size() == 0);
}

bool LogFile::path_names_open_file() const {
  struct stat named{};
  struct stat opened{};
  return ::stat(path_.c_str(), &named) == 0 && ::fstat(fd_.get(), &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

void LogFile::check_path(MonotonicTime now) {
  if (checked_at_ && now - *checked_at_ < kFileCheckInterval) return;
  checked_at_ = now;
  if (fd_ && path_names_open_file()) {
    size_ = size();
    return;
  }
  if (auto opened = open(); !opened) {
    failed_at_ = now;
    note_trouble(opened.error().message);
  }
}

void LogFile::write_or_drop(std::string_view bytes, MonotonicTime now) {
  if (type_ == S_IFREG && marks_.wants(now)) marks_.note(size(), now);
  const bool counts = budget_ != nullptr && type_ == S_IFREG;
  int error = 0;
  std::size_t written = 0;
  if (counts && !budget_->allows(bytes.size())) {
    error = EDQUOT;
  } else if (fd_) {
    written = write_some(bytes, error);
  }
  if (counts) budget_->spend(written);
  size_ += written;
  if (written > 0) at_line_start_ = bytes[written - 1] == '\n';
  if (written == bytes.size()) return note_success(now);

  failed_at_ = now;
  note_trouble("cannot write log file " + path_ + ": " +
               (error == EAGAIN ? "its reader is too slow"
                : error == EDQUOT
                    ? "all logs together have reached the limit max_total_log_size, or a disk quota"
                    : errno_text(error)));
  dropped_bytes_ += bytes.size() - written;
  last_writer_ = 0;
}

std::size_t LogFile::write_some(std::string_view bytes, int& error) const {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const char* rest = bytes.data() + written;
    const std::size_t rest_bytes = bytes.size() - written;
    // A duplicated socket shares its file status flags with others, so non-blocking must be said per call.
    const ssize_t count = type_ == S_IFSOCK ? ::send(fd_.get(), rest, rest_bytes, MSG_DONTWAIT | MSG_NOSIGNAL)
                                            : ::write(fd_.get(), rest, rest_bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      error = count < 0 ? errno : ENOSPC;
      break;
    }
    written += static_cast<std::size_t>(count);
  }
  return written;
}

void LogFile::note_trouble(const std::string& sentence) {
  if (in_trouble_) return;
  in_trouble_ = true;
  dropped_before_trouble_ = dropped_bytes_;
  if (notice_) notice_(sentence + "; its output is lost until this is solved, the app goes on");
}

void LogFile::note_success(MonotonicTime now) {
  if (!in_trouble_ || (failed_at_ && now - *failed_at_ < kTroubleSettleTime)) return;
  in_trouble_ = false;
  const std::uint64_t lost = dropped_bytes_ - dropped_before_trouble_;
  if (notice_)
    notice_("log file " + path_ + " can be written again; " + std::to_string(lost) + " bytes were lost");
}

}  // namespace clusterd
