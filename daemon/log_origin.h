// LogOrigin: whose output it is. Given to everything on the way of a stream that names its origin: targets
// with fields, stamps, the live feed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/app.h"

namespace clusterd {

enum class Stream : std::uint8_t { out, err };
inline std::string_view stream_name(Stream stream) { return stream == Stream::out ? "out" : "err"; }

struct LogOrigin {
  AppKey app;
  int id = 0;
  int slot = 0;
  Stream stream = Stream::out;
};

}  // namespace clusterd
