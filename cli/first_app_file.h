// The ecosystem file that `init` writes: an example with explanations, which the parser takes as it is. Pure
// data.
#pragma once

#include <string_view>

namespace clusterd::cli {

std::string_view first_app_file();   // with explanations
std::string_view simple_app_file();  // only what has to be there

}  // namespace clusterd::cli
