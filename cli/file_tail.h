// FileTail: the last lines of a file up to a given length, read from the end backwards.
//
// Used by `logs`. Needs memory for one block and one line, whatever the file's size: a line longer than
// kTailLineBytesMax is shown from there on, with `cut` set. Offsets and sizes in bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::size_t kTailBlockBytes = 64 * 1024;
inline constexpr std::size_t kTailLineBytesMax = 1024 * 1024;

class FileTail {
 public:
  static Result<FileTail> open(const std::string& path);
  FileTail(FileTail&& other) noexcept;
  FileTail& operator=(FileTail&&) = delete;
  ~FileTail();

  struct Start {
    std::int64_t offset = 0;
    bool cut = false;  // the first line began earlier, but was too long
  };
  // Where the last `lines` lines before `end` begin. A last line without '\n' counts as one.
  Result<Start> find_start(std::int64_t end, int lines) const;

  // Hands over [begin, end) in pieces as they are read; each `on_bytes` may end it by returning false.
  Result<> read_range(std::int64_t begin, std::int64_t end,
                      const std::function<bool(std::string_view)>& on_bytes) const;

  Result<std::int64_t> size_bytes() const;

 private:
  FileTail(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t size) const;

  int fd_;
  std::string path_;
};

}  // namespace clusterd::cli
