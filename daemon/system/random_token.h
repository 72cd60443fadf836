// random_token: 64 unguessable bits in hexadecimal.
//
// Asked once by ProcessHost. Names that others must not take first (abstract sockets) begin with it.
#pragma once

#include <string>

namespace clusterd {

std::string random_token();

}  // namespace clusterd
