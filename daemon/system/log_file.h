// LogFile: the append-only target of one or more output streams, named by a path.
//
// Made by LogHub (one per path), written by the OutputPumps of all instances that share the path. The path
// may name a regular file, a FIFO, a terminal, /dev/null or /dev/stdout: whatever it is, a write takes what
// the kernel accepts at once and drops and counts the rest. The app and the daemon never wait for a log.
//
// Writers and lines: a writer never continues the unfinished line of another one. Whoever writes after
// somebody else while the file is in the middle of a line ends that line first. So the first line of a
// restarted app stands on a line of its own, even below a file left behind by an earlier daemon.
//
// Trouble (disk full, no reader, no permission) is reported once through the notice handler, recovery once,
// with the number of bytes lost in between. A file that was moved or removed is noticed while writing, at
// most kFileCheckInterval late, and created anew together with its folder.
//
// Rotation: when the file has reached its size, or rotation was asked for, `due` is called between two lines
// and moves the file aside with move_to(). What is written before is in the old file, what is written
// afterwards in the new one; nothing is lost, doubled or torn, because this is the only one who writes.
//
// Bytes are never decoded or copied here. The process must ignore SIGPIPE (a FIFO may lose its reader) and
// SIGXFSZ (a file size limit). Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "daemon/system/log_budget.h"
#include "daemon/system/monotonic_time.h"
#include "daemon/system/time_marks.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

// How long output may still go to a file that was renamed, and how often a target that failed is tried again.
inline constexpr std::chrono::milliseconds kFileCheckInterval{1'000};
// How long a file that could not be moved aside goes on growing before that is tried again.
inline constexpr std::chrono::milliseconds kRotationRetryInterval{60'000};
// Trouble is over when a write succeeds this long after the last failure; a slow FIFO would flap otherwise.
inline constexpr std::chrono::milliseconds kTroubleSettleTime{1'000};

// Gets one sentence for the daemon's log, at most two per spell of trouble.
using LogNotice = std::function<void(const std::string& sentence)>;

class LogFile {
 public:
  using Writer = std::uint64_t;  // unique in the life of the LogFile; 0 is nobody

  // Tries to open the path at once, so that the file exists when its app runs; failure is trouble, as in
  // write().
  LogFile(std::string path, LogNotice notice);
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // The path as a descriptor of its own, appending and blocking, for a process that writes it without us.
  // Empty: it cannot be opened.
  static UniqueFd open_for_child(const std::string& path);

  const std::string& path() const { return path_; }

  // Each stream registers for as long as it may still write.
  Writer add_writer();
  void remove_writer() { --writers_; }
  int writer_count() const { return writers_; }

  void write(Writer writer, std::string_view bytes, MonotonicTime now);

  // Opens the path again, for rotation by others. The file in use stays in use if that fails.
  Result<void> reopen();

  // `size_max` 0: only when asked. `due` returns whether the file was moved; if not it is asked again after
  // kRotationRetryInterval. A line that alone is longer than size_max is in a file of its own.
  using RotationDue = std::function<bool(MonotonicTime now)>;
  void set_rotation(std::uint64_t size_max, RotationDue due);
  void rotate_soon(MonotonicTime now);  // now, or where the present line ends; an empty file stays

  // To another name in the same folder. ErrorCode::conflict: there is such a file; nothing has happened.
  Result<void> move_to(const std::string& name);

  // What all files may still take together; must outlive this one. Null: no limit.
  void set_budget(LogBudget* budget) { budget_ = budget; }

  // Empties a regular file; what is written afterwards begins at its start. Nothing to do for anything else.
  Result<void> truncate();

  std::int64_t modified_ms() const;  // of a regular file, since 1970
  std::uint64_t size() const;        // bytes in a regular file, 0 for anything else

  // Which file is written, whatever has become of its name; zeros if none is.
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };
  Identity identity() const;
  const std::vector<TimeMark>& time_marks() const { return marks_.marks(); }
  // The file that was moved aside last, by us; an empty name: none.
  struct Rotated {
    std::string name;
    std::vector<TimeMark> marks;
  };
  const Rotated& last_rotated() const { return last_rotated_; }
  std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  Result<void> open();
  Result<UniqueFd> open_target() const;
  UniqueFd open_path() const;
  bool at_line_start() const;
  std::string_view write_old_part(Writer writer, std::string_view bytes, MonotonicTime now);
  std::optional<std::size_t> rotation_point(std::string_view bytes, MonotonicTime now) const;
  bool rotate(MonotonicTime now);
  bool path_names_open_file() const;
  void check_path(MonotonicTime now);
  void write_or_drop(std::string_view bytes, MonotonicTime now);
  std::size_t write_some(std::string_view bytes, int& error) const;
  void note_trouble(const std::string& sentence);
  void note_success(MonotonicTime now);

  std::string path_;
  LogNotice notice_;
  UniqueFd fd_;
  mode_t type_ = 0;  // S_IFREG, S_IFIFO, S_IFSOCK ... of what is open

  TimeMarks marks_;
  Rotated last_rotated_;
  int writers_ = 0;
  Writer last_issued_ = 0;
  Writer last_writer_ = 0;
  bool at_line_start_ = true;

  std::uint64_t size_max_ = 0;
  RotationDue rotation_due_;
  bool rotation_wanted_ = false;
  std::optional<MonotonicTime> rotation_failed_at_;
  std::uint64_t size_ = 0;  // of a regular file, as far as we know: others may cut it
  LogBudget* budget_ = nullptr;

  std::optional<MonotonicTime> checked_at_;
  bool in_trouble_ = false;
  std::optional<MonotonicTime> failed_at_;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t dropped_before_trouble_ = 0;
};

}  // namespace clusterd
