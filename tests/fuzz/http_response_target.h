// Fuzz target: any bytes, in pieces of any size, as the answer of a server under test.
//
// Called by libFuzzer (http_response_fuzz.cpp) and by the unit tests, which replay the committed corpus. The
// first byte is the size of the pieces. Aborts if the pieces change what the answer means.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/prove/http_response.h"

namespace clusterd {

inline cli::ResponseParser response_in_pieces(std::string_view stream, std::size_t piece_bytes,
                                              cli::ResponseParser::Body body) {
  cli::ResponseParser parser(body);
  for (; !stream.empty(); stream.remove_prefix(std::min(piece_bytes, stream.size()))) {
    parser.feed(stream.substr(0, piece_bytes));
  }
  return parser;
}

inline int fuzz_http_response(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (auto body : {cli::ResponseParser::Body::expected, cli::ResponseParser::Body::none}) {
    auto some = response_in_pieces(stream, std::max<std::size_t>(1, data[0]), body);
    auto whole = response_in_pieces(stream, std::max<std::size_t>(1, stream.size()), body);
    const bool same = some.state() == whole.state() && some.status() == whole.status() &&
                      some.bytes() == whole.bytes() && some.keeps_connection() == whole.keeps_connection();
    if (!same || some.finish() != whole.finish()) std::abort();
  }
  return 0;
}

}  // namespace clusterd
