#include "cli/local_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

namespace clusterd::cli {
namespace {

// Up to `bytes_max` bytes; errno if it failed.
std::optional<std::string> read_bytes(int fd, std::size_t bytes_max) {
  std::string text;
  std::array<char, 16 * 1024> buffer;
  ssize_t count = 1;
  while (count > 0 && text.size() < bytes_max) {
    count = read(fd, buffer.data(), std::min(buffer.size(), bytes_max - text.size()));
    if (count < 0 && errno == EINTR) {
      count = 1;
      continue;
    }
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) return std::nullopt;
  return text;
}

std::optional<std::string> read_prefix(const std::string& path, std::size_t bytes_max) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return std::nullopt;
  auto text = read_bytes(fd, bytes_max);
  int error = errno;
  close(fd);
  errno = error;
  return text;
}

Error too_large(const std::string& what, std::size_t bytes_max) {
  return {ErrorCode::config, what + " is larger than the limit of " + std::to_string(bytes_max) + " bytes"};
}

}  // namespace

FileKind look_at(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return FileKind::missing;
  if (S_ISDIR(info.st_mode)) return FileKind::folder;
  if (!S_ISREG(info.st_mode)) return FileKind::other;
  return access(path.c_str(), X_OK) == 0 ? FileKind::executable : FileKind::file;
}

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  switch (look_at(path)) {
    case FileKind::missing:
      return fail(ErrorCode::not_found, path + ": " + std::strerror(errno));
    case FileKind::folder:
      return fail(ErrorCode::config, path + " is a folder");
    case FileKind::other:
      return fail(ErrorCode::config, path + " is not a regular file");
    case FileKind::file:
    case FileKind::executable:
      break;
  }
  auto text = read_prefix(path, bytes_max + 1);
  if (!text) {
    ErrorCode code = errno == EACCES ? ErrorCode::denied : ErrorCode::failed;
    return fail(code, "cannot read " + path + ": " + std::strerror(errno));
  }
  if (text->size() > bytes_max) return fail(too_large(path, bytes_max));
  return std::move(*text);
}

Result<std::string> read_standard_input(std::size_t bytes_max) {
  auto text = read_bytes(STDIN_FILENO, bytes_max + 1);
  if (!text)
    return fail(ErrorCode::failed, "cannot read standard input: " + std::string(std::strerror(errno)));
  if (text->size() > bytes_max) return fail(too_large("standard input", bytes_max));
  return std::move(*text);
}

std::optional<ScriptFacts> script_facts(const std::string& path) {
  FileKind kind = look_at(path);
  if (kind != FileKind::file && kind != FileKind::executable) return std::nullopt;
  // A program that may be executed but not read is still a program.
  return ScriptFacts{kind == FileKind::executable, read_prefix(path, kShebangBytesMax).value_or("")};
}

std::optional<std::string> find_on_path(std::string_view program, std::string_view path_variable) {
  if (program.empty() || program.find('/') != std::string_view::npos) return std::nullopt;
  for (std::size_t begin = 0; begin <= path_variable.size();) {
    std::size_t end = std::min(path_variable.find(':', begin), path_variable.size());
    std::string folder(path_variable.substr(begin, end - begin));
    std::string candidate = (folder.empty() ? "." : folder) + "/" + std::string(program);
    if (look_at(candidate) == FileKind::executable) return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

std::string own_folder() {
  std::array<char, PATH_MAX> path;
  ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  std::string_view text(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  std::size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(text.substr(0, slash));
}

}  // namespace clusterd::cli
