#include "daemon/system/log_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "daemon/system/directories.h"
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

LogFile::Writer LogFile::add_writer() {
  ++writers_;
  return ++last_issued_;
}

void LogFile::write(Writer writer, std::string_view bytes, MonotonicTime now) {
  if (bytes.empty()) return;
  check_path(now);
  if (marks_.wants(now) && type_ == S_IFREG) marks_.note(size(), now);
  if (writer != last_writer_ && !at_line_start()) write_or_drop("\n", now);
  last_writer_ = writer;
  write_or_drop(bytes, now);
}

Result<void> LogFile::reopen() { return open(); }

Result<void> LogFile::truncate() {
  if (!fd_ || type_ != S_IFREG) return {};
  if (::ftruncate(fd_.get(), 0) != 0) return system_error("cannot empty " + path_, errno);
  at_line_start_ = true;
  marks_.clear();
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
  if (fd_ && path_names_open_file()) return;
  if (auto opened = open(); !opened) {
    failed_at_ = now;
    note_trouble(opened.error().message);
  }
}

void LogFile::write_or_drop(std::string_view bytes, MonotonicTime now) {
  int error = 0;
  const std::size_t written = fd_ ? write_some(bytes, error) : 0;
  if (written > 0) at_line_start_ = bytes[written - 1] == '\n';
  if (written == bytes.size()) return note_success(now);

  failed_at_ = now;
  note_trouble("cannot write log file " + path_ + ": " +
               (error == EAGAIN ? "its reader is too slow" : errno_text(error)));
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
