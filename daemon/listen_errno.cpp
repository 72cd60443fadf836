#include "daemon/listen_errno.h"

#include <cerrno>

namespace clusterd {

int listen_errno(const Error& error) {
  switch (error.code) {
    case ErrorCode::conflict:
      return EADDRINUSE;
    case ErrorCode::denied:
      return EACCES;
    case ErrorCode::not_found:
      return ENOENT;
    case ErrorCode::usage:
      return EINVAL;
    default:
      return EADDRNOTAVAIL;
  }
}

}  // namespace clusterd
