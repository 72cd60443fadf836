// Env files ("dotenv"): the text of NAME=value lines -> variables.
//
// Pure; used by config/app_resolve for the key `env_file`. Accepted, a line each:
//   NAME=value          blanks around both are dropped; " #" begins a comment
//   export NAME=value   the same, so that a shell can read the file too
//   NAME='text'         literal, also over several lines
//   NAME="text"         the same, with \n \r \t \" \\ \$ and a backslash at the end of a line that goes on
//   # comment, empty lines
// Nothing is expanded: $ and ` are characters. The later of two lines counts. Names are what shells allow.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd {

inline constexpr std::size_t kEnvFileBytesMax = 1024 * 1024;

// Errors have code `config` and read "<file_name>:12: what is wrong". No value is ever part of a message.
Result<Environment> parse_env_file(std::string_view text, std::string_view file_name);

}  // namespace clusterd
