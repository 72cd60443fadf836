// ErrorCode as a word on the wire and as an exit status of the CLI; docs/cli.md has the table for users.
//
// Pure. The server writes the words, the CLI reads them and exits with the number.
#pragma once

#include <optional>
#include <string_view>

#include "common/result.h"

namespace clusterd {

enum class ExitStatus : int {
  success = 0,
  failed = 1,
  usage = 2,
  config = 3,
  not_found = 4,
  no_daemon = 5,
  conflict = 6,
  denied = 7,
  protocol = 8,
  lost = 9,  // of the command `prove` alone: it ran, and the app lost requests
};

std::string_view error_code_word(ErrorCode code);
std::optional<ErrorCode> error_code_from_word(std::string_view word);
ExitStatus exit_status_of(ErrorCode code);

}  // namespace clusterd
