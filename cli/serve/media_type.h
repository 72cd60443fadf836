// The media type that a file's name stands for, as browsers expect it.
// Used by answer.cpp for the Content-Type header.
#pragma once

#include <string_view>

namespace clusterd::serve {

// Text comes with its character set, UTF-8. Unknown endings are application/octet-stream.
std::string_view media_type(std::string_view path);

}  // namespace clusterd::serve
