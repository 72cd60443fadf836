#include "daemon/core/line_cutter.h"

namespace clusterd {
namespace {

constexpr std::size_t kUtf8TailMax = 3;  // continuation bytes of one character
constexpr std::size_t kIdleCapacityMax = 4 * 1024;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::size_t LineCutter::cut_size() const {
  std::size_t size = limit_;
  while (size > 1 && limit_ - size < kUtf8TailMax && continues_character(held_[size])) --size;
  return continues_character(held_[size]) ? limit_ : size;  // no UTF-8 anyway
}

void LineCutter::forget(std::size_t prefix) {
  held_.erase(0, prefix);
  if (held_.empty() && held_.capacity() > kIdleCapacityMax) held_.shrink_to_fit();
}

}  // namespace clusterd
