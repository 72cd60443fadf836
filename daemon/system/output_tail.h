// OutputTail: the last few KiB of a stream, kept in memory for error reports.
//
// Pure; owned by OutputPump. Takes no memory before the first byte. Bytes, not text: the text may begin in
// the middle of a line or of a UTF-8 character, and whoever shows it deals with that.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clusterd {

inline constexpr std::size_t kOutputTailBytesMax = 4 * 1024;

class OutputTail {
 public:
  void append(std::string_view bytes);
  std::string text() const;  // oldest byte first

 private:
  std::string ring_;      // grows to kOutputTailBytesMax, then is overwritten in a circle
  std::size_t next_ = 0;  // where the next byte goes once the ring is full
};

}  // namespace clusterd
