#include "cli/logs/line_scan.h"

#include <deque>
#include <string_view>
#include <vector>

#include "cli/logs/line_time.h"

namespace clusterd::cli {
namespace {

class Scan {
 public:
  Scan(int lines, const FileTail::Wanted& wanted, std::optional<std::int64_t> since)
      : lines_(lines), wanted_(wanted), since_(since) {}

  void add(std::string_view block) {
    found_.tail += block;
    if (found_.tail.size() > 2 * kScanTailBytes) found_.tail.erase(0, found_.tail.size() - kScanTailBytes);
    while (!block.empty()) {
      const std::size_t newline = block.find('\n');
      const std::size_t size = newline == block.npos ? block.size() : newline + 1;
      hold(block.substr(0, std::min(newline, block.size())));
      found_.size += static_cast<std::int64_t>(size);
      block.remove_prefix(size);
      if (newline != std::string_view::npos) end_line();
    }
  }

  LineScan finish() {
    if (found_.size > line_begin_) end_line();
    found_.last_offset = begins_.empty() ? found_.size : begins_.front();
    found_.lines = static_cast<int>(begins_.size());
    if (stamped_ && !found_.since_offset) found_.since_offset = found_.size;
    return std::move(found_);
  }

 private:
  void hold(std::string_view piece) {
    if (wanted_ || since_)
      line_ += piece.substr(0, kTailLineBytesMax - std::min(line_.size(), kTailLineBytesMax));
  }

  void end_line() {
    if (lines_ > 0 && (!wanted_ || wanted_(line_))) {
      begins_.push_back(line_begin_);
      if (begins_.size() > static_cast<std::size_t>(lines_)) begins_.pop_front();
    }
    if (const auto time = since_ && !found_.since_offset ? line_time(line_) : std::nullopt) {
      stamped_ = true;
      if (*time >= *since_) found_.since_offset = line_begin_;
    }
    line_begin_ = found_.size;
    line_.clear();
  }

  int lines_;
  const FileTail::Wanted& wanted_;
  std::optional<std::int64_t> since_;
  LineScan found_;
  std::deque<std::int64_t> begins_;  // of the last wanted lines
  std::int64_t line_begin_ = 0;
  std::string line_;
  bool stamped_ = false;
};

}  // namespace

LineScan scan_lines(ByteSource& source, int lines, const FileTail::Wanted& wanted,
                    std::optional<std::int64_t> since) {
  Scan scan(lines, wanted, since);
  std::vector<char> block(kTailBlockBytes);
  while (const std::size_t count = source.read(block.data(), block.size())) scan.add({block.data(), count});
  return scan.finish();
}

}  // namespace clusterd::cli
