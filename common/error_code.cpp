#include "common/error_code.h"

#include <array>

namespace clusterd {
namespace {

struct Row {
  ErrorCode code;
  std::string_view word;
  ExitStatus status;
};

constexpr std::array kRows{
    Row{ErrorCode::failed, "failed", ExitStatus::failed},
    Row{ErrorCode::usage, "usage", ExitStatus::usage},
    Row{ErrorCode::config, "config", ExitStatus::config},
    Row{ErrorCode::not_found, "not_found", ExitStatus::not_found},
    Row{ErrorCode::no_daemon, "no_daemon", ExitStatus::no_daemon},
    Row{ErrorCode::conflict, "conflict", ExitStatus::conflict},
    Row{ErrorCode::denied, "denied", ExitStatus::denied},
    Row{ErrorCode::protocol, "protocol", ExitStatus::protocol},
};

}  // namespace

std::string_view error_code_word(ErrorCode code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.word;
  }
  return "failed";
}

std::optional<ErrorCode> error_code_from_word(std::string_view word) {
  for (const Row& row : kRows) {
    if (row.word == word) return row.code;
  }
  return std::nullopt;
}

ExitStatus exit_status_of(ErrorCode code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.status;
  }
  return ExitStatus::failed;
}

}  // namespace clusterd
