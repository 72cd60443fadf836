// MonotonicTime: the one time type of this floor: milliseconds of a clock that nobody can set or turn back.
//
// Owns nothing; the epoch means nothing, only differences do. Functions that need the time take it as a
// parameter, so that their callers read the clock once per loop turn and tests can choose it.
#pragma once

#include <chrono>

namespace clusterd {

using MonotonicTime = std::chrono::milliseconds;

}  // namespace clusterd
