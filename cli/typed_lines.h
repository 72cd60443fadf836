// Typed lines: what arrives at a descriptor, cut into lines.
//
// Used by `attach` for its standard input. Reads only when asked to; a last line without its newline counts
// once the input has ended. A line is cut at 64 KiB, which is more than can be sent.
#pragma once

#include <string>
#include <vector>

namespace clusterd::cli {

class TypedLines {
 public:
  explicit TypedLines(int fd) : fd_(fd) {}

  // What one read completes; may be nothing.
  std::vector<std::string> read();
  bool ended() const { return ended_; }

 private:
  int fd_;
  std::string begun_;
  bool ended_ = false;
};

}  // namespace clusterd::cli
