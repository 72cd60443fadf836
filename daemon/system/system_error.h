// system_error: an errno value as an Error with a sentence.
//
// Called by this floor wherever a system call failed because of something a user can change. `what` says what
// was tried and on which object: "cannot open /var/log/web.log". Never decides whether the failure matters.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "common/result.h"

namespace clusterd {

inline std::string errno_text(int error) { return std::generic_category().message(error); }

// EACCES and EPERM become `denied`, ENOENT becomes `not_found`, everything else `failed`.
inline std::unexpected<Error> system_error(const std::string& what, int error) {
  const ErrorCode code = error == EACCES || error == EPERM ? ErrorCode::denied
                         : error == ENOENT                 ? ErrorCode::not_found
                                                           : ErrorCode::failed;
  return fail(code, what + ": " + errno_text(error));
}

}  // namespace clusterd
