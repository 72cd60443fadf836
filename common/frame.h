// FrameReader: cuts a stream of bytes into the lines of the control protocol. Sans I/O.
//
// One per connection, on both sides. The caller feeds what it read and takes frames until none is left; so
// the buffer holds one unfinished line and one read at most. A line beyond the limit ends the conversation:
// from then on next() answers `too_long` and fed bytes are dropped, since no later line can be trusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clusterd {

inline constexpr std::size_t kFrameBytesMax = 8 * 1024 * 1024;

struct Frame {
  enum class Kind { none, line, too_long };
  Kind kind = Kind::none;
  std::string line;  // without its '\n'
};

class FrameReader {
 public:
  explicit FrameReader(std::size_t line_bytes_max = kFrameBytesMax) : line_bytes_max_(line_bytes_max) {}

  void feed(std::string_view bytes);
  Frame next();

  // Bytes of a line that has not ended yet; above 0 at end of file means the peer died in mid-sentence.
  std::size_t buffered_bytes() const { return buffer_.size() - line_start_; }

 private:
  void forget_taken_lines();

  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t line_start_ = 0;  // where the next line begins in buffer_
  std::size_t scanned_ = 0;     // no '\n' between line_start_ and here
  bool too_long_ = false;
};

}  // namespace clusterd
