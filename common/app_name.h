// Rules for names of apps and namespaces: safe as part of a file name, on a terminal and on a command line.
//
// Pure; checked where specs are made and again where the daemon receives them.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/result.h"

namespace clusterd {

inline constexpr std::size_t kAppNameBytesMax = 128;

// Printable UTF-8 of 1 to kAppNameBytesMax bytes, without '/', not beginning with '-' or '.', and not "all".
// The error has code `config`.
Result<void> check_app_name(std::string_view name);
Result<void> check_namespace(std::string_view name);

}  // namespace clusterd
