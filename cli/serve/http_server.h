// HttpServer: listens, reads requests, sends what answer_to() says. The only place that knows Boost.Beast.
//
// One thread. Ends by SIGINT or SIGTERM: nobody new is accepted, idle connections are closed, answers under
// way are sent to their end. A client may be silent for kIdleLimit, and its header be kHeaderMax bytes long.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/serve/answer.h"
#include "common/result.h"

namespace clusterd::serve {

inline constexpr std::chrono::seconds kIdleLimit{60};
inline constexpr std::size_t kHeaderMax = 16 * 1024;

struct ServerAddress {
  std::string host;  // an IP address
  std::uint16_t port = 0;
};

// Returns after the signal, when the last answer is sent; `listening` is told when clients may come.
Result<> run_server(const ServerAddress& address, const Site& site, const Policy& policy,
                    const std::function<void()>& listening);

}  // namespace clusterd::serve
