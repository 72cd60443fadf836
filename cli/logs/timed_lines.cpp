#include "cli/logs/timed_lines.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace clusterd::cli {
namespace {

constexpr std::size_t kReadBytes = 32 * 1024;

}  // namespace

TimedLines::TimedLines(std::unique_ptr<ByteSource> bytes, std::int64_t begin, TimeMarks marks,
                       std::int64_t changed_wall_ms)
    : bytes_(std::move(bytes)), read_to_(begin), marks_(std::move(marks)), changed_wall_ms_(changed_wall_ms) {
  fill();
  order_ = first_order();
}

bool TimedLines::fill() {
  buffer_.erase(0, std::exchange(taken_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  const std::size_t count = bytes_->read(buffer_.data() + before, kReadBytes);
  buffer_.resize(before + count);
  read_to_ += static_cast<std::int64_t>(count);
  return count > 0;
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
  return changed_wall_ms_;
}

std::optional<LineSource::Line> TimedLines::next() {
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

std::optional<LineSource::Line> ChainedLines::next() {
  while (part_ || !parts_.empty()) {
    if (!part_) {
      part_ = parts_.front()();
      parts_.pop_front();
      continue;
    }
    std::optional<Line> line = part_->next();
    if (!line) {
      part_.reset();
      continue;
    }
    // A file that ends within a line is followed by another file, not by the rest of the line.
    const bool ends_file = !line->text.ends_with('\n') && line->text.size() < kTailLineBytesMax;
    if (ends_file && !parts_.empty()) line->text += '\n';
    line->order = order_ = std::max(order_, line->order);
    return line;
  }
  return std::nullopt;
}

void merge_lines(std::vector<std::unique_ptr<LineSource>>& sources,
                 const std::function<bool(std::size_t, const LineSource::Line&)>& show) {
  struct Head {
    std::int64_t order;
    std::size_t source;
    bool operator>(const Head& other) const {
      return std::pair(order, source) > std::pair(other.order, other.source);
    }
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<std::optional<LineSource::Line>> lines(sources.size());
  const auto advance = [&](std::size_t source) {
    lines[source] = sources[source]->next();
    if (lines[source]) heads.push({lines[source]->order, source});
  };
  for (std::size_t source = 0; source < sources.size(); ++source) advance(source);
  while (!heads.empty()) {
    const std::size_t source = heads.top().source;
    heads.pop();
    if (!show(source, *lines[source])) return;
    advance(source);
  }
}

}  // namespace clusterd::cli
