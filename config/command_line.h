// Splits one string into arguments as a POSIX shell would, without expanding anything.
//
// Pure; used for `args` and `interpreter_args` given as a string. Blanks and newlines separate. '…' is
// literal. In "…" a backslash escapes only " \ $ ` and newline (the shell's rule, so that lines can be
// pasted); outside of quotes it escapes any character. $, ~, * and ; mean themselves everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace clusterd {

// Fails (code `config`) at a quote that is never closed and at a backslash at the very end.
Result<std::vector<std::string>> split_command_line(std::string_view text);

}  // namespace clusterd
