// Process statistics: CPU time and memory of one process, and the percentage shown by `list`.
//
// sample_process() reads /proc/PID/stat (proc(5)) when somebody asks; nothing is polled in the background.
// CpuMeter is pure and belongs to one instance; the glue feeds it samples with the time they were taken.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/system/monotonic_time.h"

namespace clusterd {

struct ProcessSample {
  std::uint64_t cpu_ticks = 0;     // user plus system time, in clock ticks (ticks_per_second())
  std::uint64_t memory_bytes = 0;  // resident set size
  std::uint64_t start_ticks = 0;   // clock ticks after boot; with the pid the identity of a process
};

std::optional<ProcessSample> sample_process(pid_t pid);  // nullopt: no such process
std::optional<ProcessSample> parse_proc_stat(std::string_view text, std::uint64_t page_bytes);
long ticks_per_second();

inline constexpr std::chrono::milliseconds kCpuMeterLifeMin{1'000};    // younger: no percentage yet
inline constexpr std::chrono::milliseconds kCpuMeterIntervalMin{500};  // pollers within this share a value

class CpuMeter {
 public:
  CpuMeter(MonotonicTime started_at, int cpus, long ticks_per_second);

  // Percent of one CPU since the previous measurement (the first time: since the start), one decimal, from 0
  // to 100 times the number of CPUs.
  std::optional<double> percent(const ProcessSample& sample, MonotonicTime now);

 private:
  MonotonicTime started_at_;
  MonotonicTime measured_at_;
  std::uint64_t measured_ticks_ = 0;
  double percent_max_;
  double ticks_per_second_;
  std::optional<double> last_percent_;
};

}  // namespace clusterd
