// FileTail: reads a file from its end backwards, and looks for places in it.
//
// Used by `logs`. Needs memory for one block and one line, whatever the file's size: a line longer than
// kTailLineBytesMax is shown from there on, with `cut` set. Offsets and sizes in bytes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::size_t kTailBlockBytes = 64 * 1024;
inline constexpr std::size_t kTailLineBytesMax = 1024 * 1024;

// Which file it is, whatever it is called now.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

class FileTail {
 public:
  static Result<FileTail> open(const std::string& path);
  // That very file, also if it has been renamed within its folder meanwhile; not_found if it has gone.
  static Result<FileTail> open(const std::string& path, const FileIdentity& identity);
  FileTail(FileTail&& other) noexcept;
  FileTail& operator=(FileTail&& other) noexcept;
  ~FileTail();

  const std::string& path() const { return path_; }

  struct Start {
    std::int64_t offset = 0;
    bool cut = false;  // the first line began earlier, but was too long
    int lines = 0;     // wanted ones from there on
  };
  using Wanted = std::function<bool(std::string_view line)>;  // without its newline; empty: every line
  // Where the last `lines` wanted lines before `end` begin. A last line without '\n' counts as one.
  Result<Start> find_start(std::int64_t end, int lines, const Wanted& wanted = {}) const;

  // Hands over [begin, end) in pieces as they are read; each `on_bytes` may end it by returning false.
  Result<> read_range(std::int64_t begin, std::int64_t end,
                      const std::function<bool(std::string_view)>& on_bytes) const;

  // At most `size` bytes; fewer at the end of the file.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t size) const;

  struct Facts {
    std::int64_t size = 0;
    std::int64_t changed_wall_ms = 0;
    FileIdentity identity;
  };
  Result<Facts> facts() const;

 private:
  FileTail(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  bool is_wanted(std::int64_t begin, std::int64_t end, const Wanted& wanted) const;

  int fd_;
  std::string path_;
};

}  // namespace clusterd::cli
