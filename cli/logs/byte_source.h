// ByteSource: the bytes of a log from some place on, in order: a part of a file, of a compressed one, of
// memory.
//
// Read by TimedLines and scan_lines. Keeps one block at most.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "cli/logs/file_tail.h"

namespace clusterd::cli {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Some bytes, at most `size`; 0 at the end, and where it cannot be read any further.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

class FileRange final : public ByteSource {
 public:
  FileRange(FileTail file, std::int64_t begin, std::int64_t end)
      : file_(std::move(file)), at_(begin), end_(end) {}

  std::size_t read(char* buffer, std::size_t size) override {
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, end_ - at_));
    const auto count = file_.read_at(at_, buffer, std::min(size, left)).value_or(0);
    at_ += static_cast<std::int64_t>(count);
    if (count < std::min(size, left)) end_ = at_;  // cut off meanwhile
    return count;
  }

 private:
  FileTail file_;
  std::int64_t at_;
  std::int64_t end_;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - at_);
    std::memcpy(buffer, text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace clusterd::cli
