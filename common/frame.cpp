#include "common/frame.h"

namespace clusterd {

void FrameReader::feed(std::string_view bytes) {
  if (too_long_) return;
  forget_taken_lines();
  buffer_ += bytes;
}

Frame FrameReader::next() {
  if (too_long_) return {Frame::Kind::too_long, {}};
  const std::size_t end = buffer_.find('\n', scanned_);
  const bool complete = end != std::string::npos;
  const std::size_t line_bytes = (complete ? end : buffer_.size()) - line_start_;
  if (line_bytes > line_bytes_max_) {
    too_long_ = true;
    buffer_ = {};
    line_start_ = scanned_ = 0;
    return {Frame::Kind::too_long, {}};
  }
  if (!complete) {
    scanned_ = buffer_.size();
    return {Frame::Kind::none, {}};
  }
  Frame frame{Frame::Kind::line, buffer_.substr(line_start_, line_bytes)};
  line_start_ = scanned_ = end + 1;
  return frame;
}

void FrameReader::forget_taken_lines() {
  if (line_start_ == 0) return;
  if (line_start_ == buffer_.size()) {
    // A long line in the past should not keep its memory for the rest of the connection.
    constexpr std::size_t kKeptBytesMax = 64 * 1024;
    if (buffer_.capacity() > kKeptBytesMax) {
      buffer_ = {};
    } else {
      buffer_.clear();
    }
  } else {
    buffer_.erase(0, line_start_);
  }
  scanned_ -= line_start_;
  line_start_ = 0;
}

}  // namespace clusterd
