#include "daemon/system/process_stats.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "daemon/system/state_file.h"

namespace clusterd {
namespace {

constexpr std::size_t kProcStatBytesMax = 4096;

// Fields of /proc/PID/stat by their number in proc(5); the name (2) ends at the last parenthesis.
constexpr int kFirstFieldAfterName = 3;
constexpr int kUserTime = 14;
constexpr int kSystemTime = 15;
constexpr int kStartTime = 22;
constexpr int kResidentPages = 24;

std::optional<std::uint64_t> unsigned_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ProcessSample> parse_proc_stat(std::string_view text, std::uint64_t page_bytes) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 2);

  std::uint64_t values[kResidentPages + 1] = {};
  for (int field = kFirstFieldAfterName; field <= kResidentPages; ++field) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    if (field == kUserTime || field == kSystemTime || field == kStartTime || field == kResidentPages) {
      const auto number = unsigned_number(word);
      if (!number) return std::nullopt;
      values[field] = *number;
    }
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return ProcessSample{.cpu_ticks = values[kUserTime] + values[kSystemTime],
                       .memory_bytes = values[kResidentPages] * page_bytes,
                       .start_ticks = values[kStartTime]};
}

std::optional<ProcessSample> sample_process(pid_t pid) {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/stat", kProcStatBytesMax);
  if (!text) return std::nullopt;
  return parse_proc_stat(*text, page_bytes);
}

long ticks_per_second() { return ::sysconf(_SC_CLK_TCK); }

CpuMeter::CpuMeter(MonotonicTime started_at, int cpus, long ticks_per_second)
    : started_at_(started_at),
      measured_at_(started_at),
      percent_max_(100.0 * cpus),
      ticks_per_second_(static_cast<double>(ticks_per_second)) {}

std::optional<double> CpuMeter::percent(const ProcessSample& sample, MonotonicTime now) {
  if (now - started_at_ < kCpuMeterLifeMin) return std::nullopt;
  if (last_percent_ && now - measured_at_ < kCpuMeterIntervalMin) return last_percent_;

  const double seconds = std::chrono::duration<double>(now - measured_at_).count();
  // A time-sharing kernel may count a tick late; it must not show as a negative load.
  const double ticks =
      sample.cpu_ticks < measured_ticks_ ? 0.0 : static_cast<double>(sample.cpu_ticks - measured_ticks_);
  const double percent = std::clamp(100.0 * ticks / ticks_per_second_ / seconds, 0.0, percent_max_);
  last_percent_ = std::round(percent * 10.0) / 10.0;
  measured_at_ = now;
  measured_ticks_ = sample.cpu_ticks;
  return last_percent_;
}

}  // namespace clusterd
