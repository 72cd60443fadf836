// FileFollower: hands over what is appended to a file, across the rotation of spdlog's kind: daemon.log
// becomes daemon.1.log, daemon.1.log becomes daemon.2.log, and so on.
//
// Used by `logs --daemon`. Keeps the file it reads open, so nothing is missed between two looks, however
// often it was renamed; woken by inotify(7) on the folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/logs/file_tail.h"
#include "common/result.h"

namespace clusterd::cli {

// "daemon.log", 2 -> "daemon.2.log"; 0 is the file itself.
std::string rotated_name(const std::string& path, int number);
inline constexpr int kRotatedFilesMax = 9;  // that are looked for

class FileFollower {
 public:
  using OnBytes = std::function<void(std::string_view bytes)>;

  // Hands over what is written from now on. The file need not exist yet.
  static Result<FileFollower> open(const std::string& path);
  FileFollower(FileFollower&& other) noexcept;
  FileFollower& operator=(FileFollower&&) = delete;
  ~FileFollower();

  // Where it begins: what stands before is not handed over. Zeros without a file.
  std::int64_t offset() const { return offset_; }
  FileIdentity identity() const;

  Result<> catch_up(const OnBytes& on_bytes);

  enum class Woken { changed, output_gone };
  // Until something in the folder changes, or the reader of our output is gone.
  Woken wait(int output_fd) const;

 private:
  explicit FileFollower(std::string path) : path_(std::move(path)) {}
  Result<> read_rest(const OnBytes& on_bytes);
  std::string successor() const;

  std::string path_;
  int notify_fd_ = -1;
  std::optional<FileTail> file_;
  std::int64_t offset_ = 0;
};

}  // namespace clusterd::cli
