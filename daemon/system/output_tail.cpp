#include "daemon/system/output_tail.h"

#include <algorithm>

namespace clusterd {

void OutputTail::append(std::string_view bytes) {
  if (bytes.size() >= kOutputTailBytesMax) {
    ring_.assign(bytes.substr(bytes.size() - kOutputTailBytesMax));
    next_ = 0;
    return;
  }
  const std::size_t growth = std::min(bytes.size(), kOutputTailBytesMax - ring_.size());
  ring_.append(bytes.substr(0, growth));
  bytes.remove_prefix(growth);

  const std::size_t to_end = std::min(bytes.size(), kOutputTailBytesMax - next_);
  ring_.replace(next_, to_end, bytes.substr(0, to_end));
  bytes.remove_prefix(to_end);
  ring_.replace(0, bytes.size(), bytes);
  next_ = bytes.empty() ? (next_ + to_end) % kOutputTailBytesMax : bytes.size();
}

std::string OutputTail::text() const { return ring_.substr(next_) + ring_.substr(0, next_); }

}  // namespace clusterd
