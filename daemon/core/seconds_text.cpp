#include "daemon/core/seconds_text.h"

namespace clusterd {

std::string seconds_text(std::chrono::milliseconds duration) {
  const auto tenths = (duration.count() + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace clusterd
