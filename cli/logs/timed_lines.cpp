#include "cli/logs/timed_lines.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace clusterd::cli {
namespace {

constexpr std::size_t kReadBytes = 32 * 1024;

}  // namespace

TimedLines::TimedLines(FileTail file, std::int64_t begin, std::int64_t end, TimeMarks marks)
    : file_(std::move(file)), read_to_(begin), end_(end), marks_(std::move(marks)) {
  fill();
  order_ = first_order();
}

bool TimedLines::fill() {
  const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, end_ - read_to_));
  const std::size_t wanted = std::min(left, kReadBytes);
  if (wanted == 0) return false;
  buffer_.erase(0, std::exchange(taken_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + wanted);
  const auto count = file_.read_at(read_to_, buffer_.data() + before, wanted);
  buffer_.resize(before + count.value_or(0));
  read_to_ += static_cast<std::int64_t>(count.value_or(0));
  if (count.value_or(0) < wanted) end_ = read_to_;  // cut off meanwhile
  return count.value_or(0) > 0;
}

WallMs TimedLines::time_of(std::string_view line, std::int64_t offset) const {
  const WallMs noted = marks_.time_at(offset);
  return noted ? noted : line_time(line);
}

// Of lines whose time is not known: just before the first one whose time is.
std::int64_t TimedLines::first_order() {
  const std::int64_t begin = read_to_ - static_cast<std::int64_t>(buffer_.size());
  for (std::size_t at = 0; at < buffer_.size();) {
    const std::size_t end = std::min(buffer_.find('\n', at), buffer_.size());
    const auto time =
        time_of(std::string_view(buffer_).substr(at, end - at), begin + static_cast<std::int64_t>(at));
    if (time) return *time;
    at = end + 1;
  }
  if (!marks_.empty()) return marks_.first_time();
  const auto facts = file_.facts();
  return facts ? facts->changed_wall_ms : 0;
}

std::optional<TimedLines::Line> TimedLines::next() {
  std::size_t newline = buffer_.find('\n', taken_);
  while (newline == std::string::npos && buffer_.size() - taken_ < kTailLineBytesMax) {
    const std::size_t scanned = buffer_.size() - taken_;
    if (!fill()) break;
    newline = buffer_.find('\n', taken_ + scanned);
  }
  const std::size_t end = newline == std::string::npos ? buffer_.size() : newline + 1;
  if (end == taken_) return std::nullopt;
  Line line;
  line.text = buffer_.substr(taken_, end - taken_);
  const std::int64_t offset = read_to_ - static_cast<std::int64_t>(buffer_.size() - taken_);
  taken_ = end;
  if (const auto time = time_of(line.text, offset)) last_time_ = time;
  line.at = last_time_;
  order_ = std::max(order_, last_time_.value_or(order_));
  line.order = order_;
  return line;
}

void merge_lines(std::vector<std::unique_ptr<TimedLines>>& files,
                 const std::function<bool(std::size_t, const TimedLines::Line&)>& show) {
  struct Head {
    std::int64_t order;
    std::size_t file;
    bool operator>(const Head& other) const {
      return std::pair(order, file) > std::pair(other.order, other.file);
    }
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<std::optional<TimedLines::Line>> lines(files.size());
  const auto advance = [&](std::size_t file) {
    lines[file] = files[file] ? files[file]->next() : std::nullopt;
    if (lines[file]) heads.push({lines[file]->order, file});
  };
  for (std::size_t file = 0; file < files.size(); ++file) advance(file);
  while (!heads.empty()) {
    const std::size_t file = heads.top().file;
    heads.pop();
    if (!show(file, *lines[file])) return;
    advance(file);
  }
}

}  // namespace clusterd::cli
