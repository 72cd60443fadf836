// Redaction: texts for a bug report, with what looks like a secret replaced by "***".
//
// Pure; used by `report`. Better too much than too little: a value behind a word such as password, secret,
// token or key goes, also as the next argument, and so do the user and password of a URL and what stands
// behind "Bearer".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clusterd::cli {

std::string redacted(std::string_view text);

// {"--password", "x", "--port", "3000"} -> {"--password", "***", "--port", "3000"}
std::vector<std::string> redacted_arguments(const std::vector<std::string>& arguments);

}  // namespace clusterd::cli
