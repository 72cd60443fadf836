// Site: a folder as an HTTP client sees it.
//
// Maps the target of a request to an open file. Everything is opened with RESOLVE_BENEATH (openat2(2)), so
// neither "..", however it is written, nor a symbolic link leads out of the folder; names that begin with a
// dot are not there, except .well-known (RFC 8615). Used by answer.cpp; blocks no longer than a local open().
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/result.h"

namespace clusterd::serve {

class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

struct FoundFile {
  FileHandle fd;
  std::uint64_t size = 0;
  timespec modified{};
  std::string path;  // below the folder; its ending says what it is
};

struct Lookup {
  enum class Kind { file, folder_without_slash, missing, malformed } kind = Kind::missing;
  FoundFile file;  // of Kind::file
};

// "/a%20b/c?x#y" -> "a b/c"; "" for "/". Nothing: malformed, or a name that is not for the public.
struct PublicPath {
  std::string path;
  bool folder = false;  // ended with a slash
};
std::optional<PublicPath> public_path(std::string_view target, bool& malformed);

class Site {
 public:
  static Result<Site> open(const std::string& folder);
  // A folder is its index.html.
  Lookup find(std::string_view target) const;
  Lookup index() const { return find("/"); }

 private:
  explicit Site(FileHandle folder) : folder_(std::move(folder)) {}
  Lookup open_file(const std::string& path, bool may_be_folder) const;

  FileHandle folder_;
};

}  // namespace clusterd::serve
