// Basic authentication (RFC 7617) of the file server.
// Pure; used by answer.cpp.
#pragma once

#include <string>
#include <string_view>

namespace clusterd::serve {

std::string base64(std::string_view bytes);

// True where `header` (the value of Authorization) names this user and password. Takes the same time for
// every wrong one of the same length.
bool is_authorized(std::string_view header, std::string_view user, std::string_view password);

}  // namespace clusterd::serve
