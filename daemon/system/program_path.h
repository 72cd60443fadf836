// program_path: where a bare program name leads, as clusterd-exec will find it.
//
// Used by daemon/program_book for what is shown; the launcher searches again itself at each start. A few
// stat() calls, nothing is opened or executed.
#pragma once

#include <string>
#include <string_view>

namespace clusterd {

inline constexpr char kPathIfUnset[] = "/usr/local/bin:/usr/bin:/bin";

// The first executable regular file of that name in the folders of `search_path`; relative ones and empty
// ones are looked at from `cwd`. Empty: there is none.
std::string program_path(std::string_view name, std::string_view search_path, const std::string& cwd);

}  // namespace clusterd
