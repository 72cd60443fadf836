#include "daemon/line_filter.h"

#include "common/local_time.h"
#include "daemon/clock.h"

namespace clusterd {
namespace {

constexpr std::size_t kIdleAnswerCapacityMax = 256 * 1024;

}  // namespace

LineFilter::LineFilter(const LogSettings& log, const LogOrigin& origin)
    : cutter_(log.line_max), form_(log, {origin.app.name, origin.id, stream_name(origin.stream)}) {
  if (!log.rate_limit) return;
  rate_limit_ = *log.rate_limit;
  rate_.emplace(rate_limit_);
}

std::string_view LineFilter::pass(std::string_view chunk, MonotonicTime now) {
  begin(now);
  cutter_.cut(chunk, [this](const LinePiece& piece) { take(piece); });
  return answer_;
}

std::string_view LineFilter::release(MonotonicTime now) {
  begin(now);
  if (form_.can_release()) cutter_.release([this](const LinePiece& piece) { take(piece); });
  return answer_;
}

std::string_view LineFilter::finish(MonotonicTime now) {
  begin(now);
  cutter_.release([this](const LinePiece& piece) { take(piece); });
  say_dropped();
  return answer_;
}

bool LineFilter::holds() const {
  return (cutter_.holds() && form_.can_release()) || (rate_ && rate_->has_dropped());
}

void LineFilter::begin(MonotonicTime now) {
  answer_.clear();
  if (answer_.capacity() > kIdleAnswerCapacityMax) answer_.shrink_to_fit();
  if (const std::int64_t wall = wall_now_ms(); wall != stamped_at_ms_) {
    form_.set_time(local_time(wall));
    stamped_at_ms_ = wall;
  }
  if (rate_ && rate_->turn_to(now)) say_dropped();
}

void LineFilter::take(const LinePiece& piece) {
  if (rate_ && piece.begin == LinePiece::Begin::fresh) admitted_ = rate_->admit();
  if (!admitted_) return;
  form_.append(answer_, piece);
  line_open_ = piece.end == LinePiece::End::released;
}

void LineFilter::say_dropped() {
  if (!rate_ || !rate_->has_dropped()) return;
  if (std::exchange(line_open_, false)) answer_ += '\n';
  form_.append_remark(answer_, std::to_string(rate_->take_dropped()) + " lines were dropped: more than " +
                                   std::to_string(rate_limit_) + " in a second (log_rate_limit)");
}

std::unique_ptr<OutputFilter> make_output_filter(const LogSettings& log, const LogOrigin& origin) {
  if (log.type == LogType::raw && stamp_format(log).empty() && !log.rate_limit) return nullptr;
  return std::make_unique<LineFilter>(log, origin);
}

}  // namespace clusterd
