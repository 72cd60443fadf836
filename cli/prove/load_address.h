// LoadAddress: one address an app serves, as a client on this machine reaches it.
//
// Made from the daemon's view of the listeners; used by the load clients. Wildcards become loopback.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd::cli {

struct LoadAddress {
  std::string name;  // as the daemon writes it: "0.0.0.0:3000", "unix:/run/app.sock"
  std::string host;  // for the header of that name
  int port = 0;      // 0: no TCP
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// Of the text in `listeners[].address` of the operation `describe`.
Result<LoadAddress> load_address(std::string_view text);

}  // namespace clusterd::cli
