// Result: the return type of everything that can fail in a way a user can cause.
//
// Owns nothing. Every floor uses it. Exceptions never cross a module border; an Error carries a sentence a
// user can act on ("what was wrong, where, what to do") and the class of the fault, from which the CLI takes
// its exit status.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace clusterd {

// The wire name of each code and the exit status it leads to stand in common/error_code.h.
enum class ErrorCode {
  failed,     // the operation was understood and did not succeed
  usage,      // the request makes no sense: unknown operation, wrong argument
  config,     // an app file or app settings are wrong
  not_found,  // no app, instance or file of that name
  no_daemon,  // nobody answers on the control socket
  conflict,   // the name or address belongs to something else
  denied,     // the system or the daemon refused for lack of rights
  protocol,   // the peer speaks something else or another version
};

struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string message;
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace clusterd
