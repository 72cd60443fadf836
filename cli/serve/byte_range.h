// ByteRange: the part of a file that a Range header asks for (RFC 9110, 14.1.2).
// Pure; used by answer.cpp. Positions and lengths are bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace clusterd::serve {

struct ByteRange {
  enum class Kind {
    whole,  // no range, or one that may be ignored: several parts, another unit, nonsense
    part,
    unsatisfiable,  // begins behind the end
  } kind = Kind::whole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};

ByteRange byte_range(std::string_view header, std::uint64_t size);

}  // namespace clusterd::serve
