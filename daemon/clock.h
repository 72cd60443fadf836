// The clocks of the glue: monotonic for decisions, wall only for people. Milliseconds both.
// Called by ProcessHost and the output streams; everything below takes the time as a parameter.
#pragma once

#include <chrono>
#include <cstdint>

namespace clusterd {

inline std::chrono::milliseconds monotonic_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

inline std::int64_t wall_now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace clusterd
