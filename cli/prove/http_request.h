// The bytes of the request that `prove` sends, over and over.
//
// Pure.
#pragma once

#include <string>

#include "cli/prove/load_address.h"
#include "cli/prove/prove_options.h"
#include "cli/prove/tally.h"

namespace clusterd::cli {

// Headers of the user replace those of the same name that are sent by default (Host, User-Agent, Accept).
std::string http_request(const ProveOptions& options, ClientKind kind, const LoadAddress& address);

std::string request_line(const ProveOptions& options);  // "GET / HTTP/1.1"

}  // namespace clusterd::cli
