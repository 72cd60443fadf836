// New file: writes a file that was not there, or takes the place of one in one step.
//
// Used by `init` and `import`. A file that is there already is an error of code conflict unless it is to be
// replaced; nobody ever sees half of one.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

enum class Existing { keep, replace };

Result<> write_new_file(const std::string& path, std::string_view text, mode_t mode, Existing existing);

}  // namespace clusterd::cli
