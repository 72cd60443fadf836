#include "cli/typed_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace clusterd::cli {
namespace {

constexpr std::size_t kLineBytesMax = 64 * 1024;

}  // namespace

std::vector<std::string> TypedLines::read() {
  std::array<char, 16 * 1024> bytes;
  const ssize_t got = ::read(fd_, bytes.data(), bytes.size());
  std::vector<std::string> lines;
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return lines;
  if (got <= 0) {
    ended_ = true;
    if (!begun_.empty()) lines.push_back(std::exchange(begun_, {}));
    return lines;
  }
  for (const char byte : std::string_view(bytes.data(), static_cast<std::size_t>(got))) {
    if (byte == '\n' || begun_.size() >= kLineBytesMax) {
      lines.push_back(std::exchange(begun_, {}));
    } else {
      begun_ += byte;
    }
  }
  return lines;
}

}  // namespace clusterd::cli
